// CLEAN. A compare-exchange that fails with acquire is an acquire load.
#include "../support.h"
#include <stdatomic.h>

static atomic_int state;
int data;

static void writer(void) {
    data = 42;
    atomic_store_explicit(&state, 1, memory_order_release);
    reached(1);
}

static void reader(void) {
    int expected = 7;
    await(1);
    CHECK(!atomic_compare_exchange_strong_explicit(&state, &expected, 8, memory_order_relaxed, memory_order_acquire));
    CHECK(data == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
