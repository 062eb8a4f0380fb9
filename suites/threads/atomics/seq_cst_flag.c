// CLEAN. A flag with the default order.
#include "../support.h"
#include <stdatomic.h>

static atomic_int ready;
int data;

static void writer(void) {
    data = 42;
    atomic_store(&ready, 1);
}

static void reader(void) {
    while (!atomic_load(&ready)) {
        sched_yield();
    }
    CHECK(data == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
