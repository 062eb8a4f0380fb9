// CLEAN. C11 threads: mtx_lock and thrd_join.
//@ needs: c11-threads
#include "../support.h"
#include <threads.h>

static mtx_t lock;
int counter;

static int count(void *unused) {
    (void)unused;
    for (int i = 0; i < 100; i++) {
        mtx_lock(&lock);
        counter++;
        mtx_unlock(&lock);
    }
    return 5;
}

int main(void) {
    thrd_t threads[2];
    int result;
    mtx_init(&lock, mtx_plain);
    for (int i = 0; i < 2; i++) {
        CHECK(thrd_create(&threads[i], count, NULL) == thrd_success);
    }
    for (int i = 0; i < 2; i++) {
        CHECK(thrd_join(threads[i], &result) == thrd_success && result == 5);
    }
    CHECK(counter == 200);
    mtx_destroy(&lock);
    return 0;
}
