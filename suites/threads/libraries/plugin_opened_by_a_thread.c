// CLEAN. One thread opens the library, and the other one gets the function after that.
//@ plugin: libraries/parts/counter.c
#include "../support.h"
#include "open_plugin.h"

static void (*count)(void);
static int ready;

static void opener(void) {
    count = (void (*)(void))dlsym(open_plugin("counter.so"), "count_with_lock");
    CHECK(count != NULL);
    __atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
    count();
}

static void user(void) {
    while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    count();
}

int main(void) {
    run_both(opener, user);
    return 0;
}
