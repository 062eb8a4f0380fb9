// RACY. A thread shows the address of its thread-local variable to another one.
#include "../support.h"

static _Thread_local int mine;
static int *shown;

static void owner(void) {
    __atomic_store_n(&shown, &mine, __ATOMIC_RELEASE);
    mine = 1;
    await(1);
}

static void guest(void) {
    int *theirs;
    while ((theirs = __atomic_load_n(&shown, __ATOMIC_ACQUIRE)) == NULL) {
        sched_yield();
    }
    *theirs = 2;  //~ race: data-race (with line 9)
    reached(1);
}

int main(void) {
    run_both(owner, guest);
    return 0;
}
