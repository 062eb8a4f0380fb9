// CLEAN. A queue for many producers and one consumer: an exchange on the tail, a release store of the link.
#include "../support.h"
#include <stdatomic.h>

enum { ITEMS = 200 };
struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node stub;
static struct node nodes[2][ITEMS];
static _Atomic(struct node *) tail = &stub;
static atomic_int next_self;

static void producer(void) {
    int self = atomic_fetch_add_explicit(&next_self, 1, memory_order_relaxed);
    for (int i = 0; i < ITEMS; i++) {
        struct node *node = &nodes[self][i];
        node->value = i;
        struct node *before = atomic_exchange_explicit(&tail, node, memory_order_acq_rel);
        atomic_store_explicit(&before->next, node, memory_order_release);
    }
}

int main(void) {
    pthread_t producers[2] = {spawn(producer), spawn(producer)};
    struct node *at = &stub;
    long sum = 0;
    for (int i = 0; i < 2 * ITEMS; i++) {
        struct node *next;
        while ((next = atomic_load_explicit(&at->next, memory_order_acquire)) == NULL) {
            sched_yield();
        }
        at = next;
        sum += at->value;
    }
    CHECK(sum == ITEMS * (ITEMS - 1L));
    join(producers[0]);
    join(producers[1]);
    return 0;
}
