// CLEAN. A seqlock whose data are relaxed atomics.
#include "../support.h"
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int data[2];

static void writer(void) {
    for (int i = 1; i <= 100; i++) {
        unsigned before = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&data[0], i, memory_order_relaxed);
        atomic_store_explicit(&data[1], i, memory_order_relaxed);
        atomic_store_explicit(&sequence, before + 2, memory_order_release);
    }
}

static void reader(void) {
    int a = 0;
    while (a < 100) {
        unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
        a = atomic_load_explicit(&data[0], memory_order_relaxed);
        int b = atomic_load_explicit(&data[1], memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        unsigned after = atomic_load_explicit(&sequence, memory_order_relaxed);
        if (before == after && before % 2 == 0) {
            CHECK(a == b);
        } else {
            a = 0;
        }
        sched_yield();
    }
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
