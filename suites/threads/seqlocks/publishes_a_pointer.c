// CLEAN. What a pointer in a seqlock points to is ordered by the acquire of the sequence.
#include "../support.h"
#include <stdatomic.h>

static atomic_uint sequence;
static _Atomic(int *) pointer;
static int cell;

static void writer(void) {
    cell = 42;
    atomic_store_explicit(&sequence, 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&pointer, &cell, memory_order_relaxed);
    atomic_store_explicit(&sequence, 2, memory_order_release);
}

static void reader(void) {
    while (atomic_load_explicit(&sequence, memory_order_acquire) != 2) {
        sched_yield();
    }
    CHECK(*atomic_load_explicit(&pointer, memory_order_relaxed) == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
