// CLEAN. call_once of C11.
//@ needs: c11-threads
#include "../support.h"
#include <threads.h>

static once_flag once = ONCE_FLAG_INIT;
int data;

static void initialise(void) {
    data = 42;
}

static int user(void *unused) {
    (void)unused;
    call_once(&once, initialise);
    CHECK(data == 42);
    return 0;
}

int main(void) {
    thrd_t threads[2];
    for (int i = 0; i < 2; i++) {
        CHECK(thrd_create(&threads[i], user, NULL) == thrd_success);
    }
    for (int i = 0; i < 2; i++) {
        thrd_join(threads[i], NULL);
    }
    return 0;
}
