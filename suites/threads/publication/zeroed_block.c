// RACY. A block is published before anything orders the zeroes in it.
#include "../support.h"
#include <stdatomic.h>

static _Atomic(int *) published;

static void writer(void) {
    int *block = (int *)calloc(4, sizeof(int));
    CHECK(block != NULL);
    atomic_store_explicit(&published, block, memory_order_relaxed);
}

static void reader(void) {
    int *block;
    while ((block = atomic_load_explicit(&published, memory_order_relaxed)) == NULL) {
        sched_yield();
    }
    use(block[1]);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(writer, reader);
    free(atomic_load(&published));
    return 0;
}
