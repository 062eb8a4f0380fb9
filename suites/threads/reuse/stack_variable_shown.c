// RACY. A thread shows the address of a local variable and goes on writing it.
#include "../support.h"

static int *shown;

static void owner(void) {
    int local = 0;
    __atomic_store_n(&shown, &local, __ATOMIC_RELEASE);
    local = 1;
    await(1);
}

static void guest(void) {
    int *theirs;
    while ((theirs = __atomic_load_n(&shown, __ATOMIC_ACQUIRE)) == NULL) {
        sched_yield();
    }
    use(*theirs);  //~ race: data-race (with line 9)
    reached(1);
}

int main(void) {
    run_both(owner, guest);
    return 0;
}
