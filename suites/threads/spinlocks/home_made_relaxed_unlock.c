// RACY. The unlock of a home-made lock is relaxed.
#include "../support.h"
#include <stdatomic.h>

static atomic_int lock;
int counter;

static void count(void) {
    while (atomic_exchange_explicit(&lock, 1, memory_order_acquire)) {
        sched_yield();
    }
    counter++;  //~ race: data-race (with itself)
    atomic_store_explicit(&lock, 0, memory_order_relaxed);
}

int main(void) {
    run_both(count, count);
    return 0;
}
