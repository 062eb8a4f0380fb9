// RACY. The strongest order does not help data that is written after the flag.
#include "../support.h"
#include <stdatomic.h>

static atomic_int ready;
int data;

static void writer(void) {
    atomic_store(&ready, 1);
    data = 42;
}

static void reader(void) {
    while (!atomic_load(&ready)) {
        sched_yield();
    }
    use(data);  //~ race: data-race (with line 10)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
