// RACY. mtx_timedlock says thrd_timedout, and the thread writes all the same.
//@ needs: c11-threads
#include "../support.h"
#include <threads.h>

static mtx_t lock;
int data;

static int holder(void *unused) {
    (void)unused;
    mtx_lock(&lock);
    data = 1;
    reached(1);
    await(2);
    mtx_unlock(&lock);
    return 0;
}

static int impatient(void *unused) {
    struct timespec past = {1, 0};
    (void)unused;
    await(1);
    CHECK(mtx_trylock(&lock) == thrd_busy);
    CHECK(mtx_timedlock(&lock, &past) == thrd_timedout);
    data = 2;  //~ race: data-race (with line 12)
    reached(2);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    mtx_init(&lock, mtx_timed);
    CHECK(thrd_create(&threads[0], holder, NULL) == thrd_success);
    CHECK(thrd_create(&threads[1], impatient, NULL) == thrd_success);
    thrd_join(threads[0], NULL);
    thrd_join(threads[1], NULL);
    return 0;
}
