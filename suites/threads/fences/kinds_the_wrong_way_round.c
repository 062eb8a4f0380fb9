// RACY. The writer has an acquire fence, the reader a release fence.
#include "../support.h"
#include <stdatomic.h>

static atomic_int ready;
int data;

static void writer(void) {
    data = 42;
    atomic_thread_fence(memory_order_acquire);
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
}

static void reader(void) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        sched_yield();
    }
    atomic_thread_fence(memory_order_release);
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
