// CLEAN. A pointer loaded with consume; what it points to depends on the load.
#include "../support.h"
#include <stdatomic.h>

static _Atomic(int *) published;
static int cell;

static void writer(void) {
    cell = 42;
    atomic_store_explicit(&published, &cell, memory_order_release);
}

static void reader(void) {
    int *seen;
    while ((seen = atomic_load_explicit(&published, memory_order_consume)) == NULL) {
        sched_yield();
    }
    CHECK(*seen == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
