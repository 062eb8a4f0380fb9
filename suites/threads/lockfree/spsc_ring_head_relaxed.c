// RACY. The consumer's index is stored relaxed: the producer overwrites cells whose reads are not ordered before it.
#include "../support.h"
#include <stdatomic.h>

enum { ITEMS = 64, ROOM = 2 };
static int ring[ROOM];
static atomic_uint head;
static atomic_uint tail;

static void producer(void) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (i - atomic_load_explicit(&head, memory_order_acquire) == ROOM) {
            sched_yield();
        }
        ring[i % ROOM] = (int)i;
        atomic_store_explicit(&tail, i + 1, memory_order_release);
    }
}

static void consumer(void) {
    for (unsigned i = 0; i < ITEMS; i++) {
        while (atomic_load_explicit(&tail, memory_order_acquire) == i) {
            sched_yield();
        }
        use(ring[i % ROOM]);  //~ race: data-race (with line 15)
        atomic_store_explicit(&head, i + 1, memory_order_relaxed);
    }
}

int main(void) {
    run_both(producer, consumer);
    return 0;
}
