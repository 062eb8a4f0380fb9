// CLEAN. A relaxed store behind a release fence heads a sequence, too, and a relaxed read-modify-write continues it.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flag;
int data;

static void writer(void) {
    data = 42;
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
}

static void between(void) {
    while (atomic_load_explicit(&flag, memory_order_relaxed) != 1) {
        sched_yield();
    }
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
}

static void reader(void) {
    while (atomic_load_explicit(&flag, memory_order_acquire) != 2) {
        sched_yield();
    }
    CHECK(data == 42);
}

int main(void) {
    pthread_t more = spawn(writer);
    run_both(between, reader);
    join(more);
    return 0;
}
