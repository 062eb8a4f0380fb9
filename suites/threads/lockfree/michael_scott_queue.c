// CLEAN. The queue of Michael and Scott without reuse of nodes, two producers and two consumers.
#include "../support.h"
#include <stdatomic.h>

enum { ITEMS = 200 };
struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node stub;
static struct node nodes[2][ITEMS];
static _Atomic(struct node *) head = &stub;
static _Atomic(struct node *) tail = &stub;
static atomic_int next_self;
static atomic_int taken;
static atomic_long sum;

static void producer(void) {
    int self = atomic_fetch_add_explicit(&next_self, 1, memory_order_relaxed);
    for (int i = 0; i < ITEMS; i++) {
        struct node *node = &nodes[self][i];
        node->value = i;
        while (1) {
            struct node *last = atomic_load_explicit(&tail, memory_order_acquire);
            struct node *next = atomic_load_explicit(&last->next, memory_order_acquire);
            if (next != NULL) {
                atomic_compare_exchange_strong_explicit(&tail, &last, next, memory_order_release, memory_order_relaxed);
            } else if (atomic_compare_exchange_strong_explicit(&last->next, &next, node, memory_order_release, memory_order_relaxed)) {
                atomic_compare_exchange_strong_explicit(&tail, &last, node, memory_order_release, memory_order_relaxed);
                break;
            }
        }
    }
}

static void consumer(void) {
    while (atomic_load_explicit(&taken, memory_order_relaxed) < 2 * ITEMS) {
        struct node *first = atomic_load_explicit(&head, memory_order_acquire);
        struct node *next = atomic_load_explicit(&first->next, memory_order_acquire);
        if (next == NULL) {
            sched_yield();
        } else if (atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_release, memory_order_relaxed)) {
            atomic_fetch_add_explicit(&sum, next->value, memory_order_relaxed);
            atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
        }
    }
}

int main(void) {
    pthread_t producers[2] = {spawn(producer), spawn(producer)};
    run_both(consumer, consumer);
    join(producers[0]);
    join(producers[1]);
    CHECK(atomic_load(&sum) == ITEMS * (ITEMS - 1L));
    return 0;
}
