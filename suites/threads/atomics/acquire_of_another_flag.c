// RACY. The writer releases one variable, the reader acquires another.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flag_a;
static atomic_int flag_b;
int data;

static void writer(void) {
    data = 42;
    atomic_store_explicit(&flag_a, 1, memory_order_release);
    atomic_store_explicit(&flag_b, 1, memory_order_relaxed);
}

static void reader(void) {
    while (!atomic_load_explicit(&flag_b, memory_order_acquire)) {
        sched_yield();
    }
    use(data);  //~ race: data-race (with line 10)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
