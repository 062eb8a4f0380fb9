// CLEAN. cnd_wait, cnd_timedwait and cnd_broadcast with a predicate under its mtx_t.
//@ needs: c11-threads
#include "../support.h"
#include <threads.h>
#include <time.h>

static mtx_t lock;
static cnd_t changed;
int ready;
int data;

static int reader(void *timed) {
    mtx_lock(&lock);
    while (!ready) {
        if (timed != NULL) {
            struct timespec late;
            timespec_get(&late, TIME_UTC);
            late.tv_sec += 100;
            cnd_timedwait(&changed, &lock, &late);
        } else {
            cnd_wait(&changed, &lock);
        }
    }
    mtx_unlock(&lock);
    CHECK(data == 42);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    mtx_init(&lock, mtx_timed);
    cnd_init(&changed);
    CHECK(thrd_create(&threads[0], reader, NULL) == thrd_success);
    CHECK(thrd_create(&threads[1], reader, &lock) == thrd_success);
    data = 42;
    mtx_lock(&lock);
    ready = 1;
    mtx_unlock(&lock);
    cnd_broadcast(&changed);
    thrd_join(threads[0], NULL);
    thrd_join(threads[1], NULL);
    return 0;
}
