// RACY. A signal fence is for the compiler and orders no other thread.
#include "../support.h"
#include <stdatomic.h>

static atomic_int ready;
int data;

static void writer(void) {
    data = 42;
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
}

static void reader(void) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        sched_yield();
    }
    atomic_signal_fence(memory_order_seq_cst);
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
