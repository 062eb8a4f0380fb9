// RACY. The counter that finds the last thread is relaxed.
#include "../support.h"
#include <stdatomic.h>

static atomic_int arrived;
int part;

static void first(void) {
    part = 1;
    atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed);
    reached(1);
}

static void last(void) {
    await(1);
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_relaxed) == 1) {
        use(part);  //~ race: data-race (with line 9)
    }
}

int main(void) {
    run_both(first, last);
    return 0;
}
