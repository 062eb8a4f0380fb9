// CLEAN. Each read-modify-write operation hands the turn to the other thread.
#include "../support.h"
#include <stdatomic.h>

static atomic_int turn;
int data;

static void pass(int from) {
    int expected;
    while ((atomic_load_explicit(&turn, memory_order_acquire) & 1) != from) {
        sched_yield();
    }
    data++;
    switch (data % 6) {
    case 0: atomic_fetch_add_explicit(&turn, 1, memory_order_release); break;
    case 1: atomic_fetch_sub_explicit(&turn, 1, memory_order_acq_rel); break;
    case 2: atomic_fetch_xor_explicit(&turn, 1, memory_order_release); break;
    case 3: atomic_exchange_explicit(&turn, !from, memory_order_seq_cst); break;
    case 4:
        if (from) {
            atomic_fetch_and_explicit(&turn, ~1, memory_order_release);
        } else {
            atomic_fetch_or_explicit(&turn, 1, memory_order_release);
        }
        break;
    default:
        expected = atomic_load_explicit(&turn, memory_order_relaxed);
        while (!atomic_compare_exchange_weak_explicit(&turn, &expected, expected ^ 1, memory_order_release, memory_order_relaxed)) {
        }
    }
}

static void even(void) {
    for (int i = 0; i < 100; i++) {
        pass(0);
    }
}

static void odd(void) {
    for (int i = 0; i < 100; i++) {
        pass(1);
    }
}

int main(void) {
    run_both(even, odd);
    CHECK(data == 200);
    return 0;
}
