// RACY. The load of a released flag is relaxed.
#include "../support.h"
#include <stdatomic.h>

static atomic_int ready;
int data;

static void writer(void) {
    data = 42;
    atomic_store_explicit(&ready, 1, memory_order_release);
}

static void reader(void) {
    while (!atomic_load_explicit(&ready, memory_order_relaxed)) {
        sched_yield();
    }
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
