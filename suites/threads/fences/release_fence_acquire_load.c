// CLEAN. A release fence and a relaxed store on one side, an acquire load on the other.
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
    while (!atomic_load_explicit(&ready, memory_order_acquire)) {
        sched_yield();
    }
    CHECK(data == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
