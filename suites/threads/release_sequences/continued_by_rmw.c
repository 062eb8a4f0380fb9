// CLEAN. A relaxed read-modify-write of another thread continues the release sequence.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flag;
int data;

static void writer(void) {
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
}

static void between(void) {
    int expected = 1;
    while (!atomic_compare_exchange_weak_explicit(&flag, &expected, 2, memory_order_relaxed, memory_order_relaxed)) {
        expected = 1;
        sched_yield();
    }
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
