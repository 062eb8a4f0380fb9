// CLEAN. A lock made of atomic_flag.
#include "../support.h"
#include <stdatomic.h>

static atomic_flag lock = ATOMIC_FLAG_INIT;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        while (atomic_flag_test_and_set_explicit(&lock, memory_order_acquire)) {
            sched_yield();
        }
        counter++;
        atomic_flag_clear_explicit(&lock, memory_order_release);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(counter == 200);
    return 0;
}
