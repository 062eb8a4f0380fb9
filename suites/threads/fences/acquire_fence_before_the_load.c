// RACY. The acquire fence stands before the load.
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
    atomic_thread_fence(memory_order_acquire);
    while (atomic_load_explicit(&ready, memory_order_relaxed) == 0) {
        sched_yield();
    }
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
