// CLEAN. Treiber's stack without reuse of nodes: release in push, acquire in pop.
#include "../support.h"
#include <stdatomic.h>

enum { ITEMS = 300 };
struct node {
    int value;
    struct node *next;
};

static _Atomic(struct node *) top;
static struct node nodes[ITEMS];

static void producer(void) {
    for (int i = 0; i < ITEMS; i++) {
        struct node *node = &nodes[i];
        struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
        node->value = i;
        do {
            node->next = old;
        } while (!atomic_compare_exchange_weak_explicit(&top, &old, node, memory_order_release, memory_order_relaxed));
    }
}

static void consumer(void) {
    long sum = 0;
    for (int taken = 0; taken < ITEMS;) {
        struct node *old = atomic_load_explicit(&top, memory_order_acquire);
        if (old == NULL) {
            sched_yield();
        } else if (atomic_compare_exchange_weak_explicit(&top, &old, old->next, memory_order_relaxed, memory_order_relaxed)) {
            sum += old->value;
            taken++;
        }
    }
    CHECK(sum == ITEMS * (ITEMS - 1L) / 2);
}

int main(void) {
    run_both(producer, consumer);
    return 0;
}
