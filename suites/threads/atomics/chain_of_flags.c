// CLEAN. A flag from the first to the second thread, another from the second to the third.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flag_a;
static atomic_int flag_b;
int data;

static void first(void) {
    data = 42;
    atomic_store_explicit(&flag_a, 1, memory_order_release);
}

static void second(void) {
    while (!atomic_load_explicit(&flag_a, memory_order_acquire)) {
        sched_yield();
    }
    atomic_store_explicit(&flag_b, 1, memory_order_release);
}

static void third(void) {
    while (!atomic_load_explicit(&flag_b, memory_order_acquire)) {
        sched_yield();
    }
    CHECK(data == 42);
}

int main(void) {
    pthread_t more = spawn(first);
    run_both(second, third);
    join(more);
    return 0;
}
