// RACY. The compare-exchange of a push is relaxed: the node's value is not published.
#include "../support.h"
#include <stdatomic.h>

struct node {
    int value;
    _Atomic(struct node *) next;
};

static _Atomic(struct node *) top;
static struct node the_node;

static void producer(void) {
    struct node *old = atomic_load_explicit(&top, memory_order_relaxed);
    the_node.value = 1;
    do {
        atomic_store_explicit(&the_node.next, old, memory_order_relaxed);
    } while (!atomic_compare_exchange_weak_explicit(&top, &old, &the_node, memory_order_relaxed, memory_order_relaxed));
}

static void consumer(void) {
    struct node *old = NULL;
    struct node *next;
    do {
        old = atomic_load_explicit(&top, memory_order_acquire);
        next = old ? atomic_load_explicit(&old->next, memory_order_relaxed) : NULL;
        sched_yield();
    } while (old == NULL || !atomic_compare_exchange_weak_explicit(&top, &old, next, memory_order_acquire, memory_order_relaxed));
    use(old->value);  //~ race: data-race (with line 15)
}

int main(void) {
    run_both(producer, consumer);
    return 0;
}
