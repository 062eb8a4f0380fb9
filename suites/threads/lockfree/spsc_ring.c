// CLEAN. A ring for one producer and one consumer: each releases its own index and acquires the other's.
#include "../support.h"
#include <stdatomic.h>

enum { ITEMS = 1000, ROOM = 8 };
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
        CHECK(ring[i % ROOM] == (int)i);
        atomic_store_explicit(&head, i + 1, memory_order_release);
    }
}

int main(void) {
    run_both(producer, consumer);
    return 0;
}
