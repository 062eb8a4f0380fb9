// RACY. A compare-exchange that fails has its failure order, which is relaxed here.
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
    CHECK(!atomic_compare_exchange_strong_explicit(&state, &expected, 8, memory_order_acq_rel, memory_order_relaxed));
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
