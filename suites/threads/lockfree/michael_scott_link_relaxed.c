// RACY. The compare-exchange that links a node is relaxed, and the consumer comes by the links.
#include "../support.h"
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node stub;
static struct node the_node;
static _Atomic(struct node *) head = &stub;

static void producer(void) {
    struct node *next = NULL;
    the_node.value = 1;
    CHECK(atomic_compare_exchange_strong_explicit(&stub.next, &next, &the_node, memory_order_relaxed, memory_order_relaxed));
}

static void consumer(void) {
    struct node *first = atomic_load_explicit(&head, memory_order_acquire);
    struct node *next;
    while ((next = atomic_load_explicit(&first->next, memory_order_acquire)) == NULL) {
        sched_yield();
    }
    CHECK(atomic_compare_exchange_strong_explicit(&head, &first, next, memory_order_acq_rel, memory_order_relaxed));
    use(next->value);  //~ race: data-race (with line 16)
}

int main(void) {
    run_both(producer, consumer);
    return 0;
}
