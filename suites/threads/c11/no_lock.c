// RACY. Two C11 threads write one variable.
//@ needs: c11-threads
#include "../support.h"
#include <threads.h>

int data;

static int one(void *unused) {
    (void)unused;
    data = 1;
    return 0;
}

static int other(void *unused) {
    (void)unused;
    data = 2;  //~ race: data-race (with line 10)
    return 0;
}

int main(void) {
    thrd_t threads[2];
    CHECK(thrd_create(&threads[0], one, NULL) == thrd_success);
    CHECK(thrd_create(&threads[1], other, NULL) == thrd_success);
    thrd_join(threads[0], NULL);
    thrd_join(threads[1], NULL);
    return 0;
}
