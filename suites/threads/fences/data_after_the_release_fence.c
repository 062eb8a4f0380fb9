// RACY. The data is written between the release fence and the store.
#include "../support.h"
#include <stdatomic.h>

static atomic_int ready;
int data;

static void writer(void) {
    atomic_thread_fence(memory_order_release);
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_relaxed);
}

static void reader(void) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        sched_yield();
    }
    atomic_thread_fence(memory_order_acquire);
    use(data);  //~ race: data-race (with line 10)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
