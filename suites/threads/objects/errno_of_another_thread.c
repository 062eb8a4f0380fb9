// RACY. A thread reads the errno of another one through its address.
#include "../support.h"

static int *theirs;

static void owner(void) {
    __atomic_store_n(&theirs, &errno, __ATOMIC_RELEASE);
    errno = 5;
    await(1);
}

static void guest(void) {
    int *address;
    while ((address = __atomic_load_n(&theirs, __ATOMIC_ACQUIRE)) == NULL) {
        sched_yield();
    }
    use(*address);  //~ race: data-race (with line 8)
    reached(1);
}

int main(void) {
    run_both(owner, guest);
    return 0;
}
