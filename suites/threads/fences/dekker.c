// CLEAN. Store buffering with seq_cst fences: at most one of the two threads finds the other's flag down.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flags[2];
int data;

static void enter(int self) {
    atomic_store_explicit(&flags[self], 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&flags[!self], memory_order_relaxed)) {
        data++;
    }
}

static void one(void) {
    enter(0);
}

static void other(void) {
    enter(1);
}

int main(void) {
    run_both(one, other);
    CHECK(data <= 1);
    return 0;
}
