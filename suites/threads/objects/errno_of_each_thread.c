// CLEAN. errno belongs to the thread.
#include "../support.h"

static void one(void) {
    errno = 1;
    sched_yield();
    CHECK(errno == 1);
}

static void other(void) {
    errno = 2;
    sched_yield();
    CHECK(errno == 2);
}

int main(void) {
    run_both(one, other);
    return 0;
}
