// CLEAN. A release fence before a relaxed store, an acquire fence after the relaxed load that sees it.
#include "../support.h"
#include <stdatomic.h>

static atomic_int ready;
int data;

static void writer(void) {
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
}

static void reader(void) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
    CHECK(data == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
