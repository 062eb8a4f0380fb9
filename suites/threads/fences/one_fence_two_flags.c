// CLEAN. One release fence serves every store after it.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flag_a;
static atomic_int flag_b;
int data;

static void writer(void) {
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag_a, 1, memory_order_relaxed);
    atomic_store_explicit(&flag_b, 1, memory_order_relaxed);
}

static void reader(void) {
    while (!atomic_load_explicit(&flag_b, memory_order_relaxed)) {
        sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
    CHECK(data == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
