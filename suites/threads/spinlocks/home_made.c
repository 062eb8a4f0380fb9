// CLEAN. A lock made of an exchange with acquire and a store with release.
#include "../support.h"
#include <stdatomic.h>

static atomic_int lock;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {
            sched_yield();
        }
        counter++;
        atomic_store_explicit(&lock, 0, memory_order_release);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(counter == 200);
    return 0;
}
