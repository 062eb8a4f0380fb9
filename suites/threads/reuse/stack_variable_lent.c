// CLEAN. A thread lends a local variable and waits until it is given back.
#include "../support.h"

static int *lent;
static int returned;

static void owner(void) {
    int local = 1;
    __atomic_store_n(&lent, &local, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&returned, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    CHECK(local == 2);
    local = 3;
    use(local);
}

static void guest(void) {
    int *theirs;
    while ((theirs = __atomic_load_n(&lent, __ATOMIC_ACQUIRE)) == NULL) {
        sched_yield();
    }
    *theirs = 2;
    __atomic_store_n(&returned, 1, __ATOMIC_RELEASE);
}

int main(void) {
    run_both(owner, guest);
    return 0;
}
