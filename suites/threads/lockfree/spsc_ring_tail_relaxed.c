// RACY. The producer's index is stored relaxed: the consumer reads cells that are not published.
#include "../support.h"
#include <stdatomic.h>

enum { ITEMS = 4, ROOM = 8 };
static int ring[ROOM];
static atomic_uint tail;

static void producer(void) {
    for (unsigned i = 0; i < ITEMS; i++) {
        ring[i % ROOM] = (int)i;
        atomic_store_explicit(&tail, i + 1, memory_order_relaxed);
    }
}

static void consumer(void) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i) {
            sched_yield();
        }
        use(ring[i % ROOM]);  //~ race: data-race (with line 11)
    }
}

int main(void) {
    run_both(producer, consumer);
    return 0;
}
