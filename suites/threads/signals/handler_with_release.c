// CLEAN. The handler stores a lock-free atomic with release.
#include "../support.h"
#include <signal.h>
#include <stdatomic.h>

static atomic_int seen;
int data;

static void handler(int number) {
    data = 42;
    atomic_store_explicit(&seen, number, memory_order_release);
}

static void raiser(void) {
    raise(SIGUSR1);
}

static void reader(void) {
    while (!atomic_load_explicit(&seen, memory_order_acquire)) {
        sched_yield();
    }
    CHECK(data == 42);
}

int main(void) {
    signal(SIGUSR1, handler);
    run_both(raiser, reader);
    return 0;
}
