// RACY. The link of the queue is stored relaxed; the exchange on the tail, which the consumer never reads, does not help.
#include "../support.h"
#include <stdatomic.h>

struct node {
    _Atomic(struct node *) next;
    int value;
};

static struct node stub;
static struct node the_node;
static _Atomic(struct node *) tail = &stub;

static void producer(void) {
    the_node.value = 1;
    struct node *before = atomic_exchange_explicit(&tail, &the_node, memory_order_acq_rel);
    atomic_store_explicit(&before->next, &the_node, memory_order_relaxed);
}

static void consumer(void) {
    struct node *next;
    while ((next = atomic_load_explicit(&stub.next, memory_order_acquire)) == NULL) {
        sched_yield();
    }
    use(next->value);  //~ race: data-race (with line 15)
}

int main(void) {
    run_both(producer, consumer);
    return 0;
}
