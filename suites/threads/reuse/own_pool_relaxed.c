// RACY. A slot of a pool is given back by a relaxed store: its next user is not ordered after the last.
#include "../support.h"
#include <stdatomic.h>

static atomic_int busy;
int slot;

static void first(void) {
    CHECK(atomic_exchange_explicit(&busy, 1, memory_order_acquire) == 0);
    slot = 1;
    atomic_store_explicit(&busy, 0, memory_order_relaxed);
    reached(1);
}

static void second(void) {
    await(1);
    CHECK(atomic_exchange_explicit(&busy, 1, memory_order_acquire) == 0);
    slot = 2;  //~ race: data-race (with line 10)
    atomic_store_explicit(&busy, 0, memory_order_relaxed);
}

int main(void) {
    run_both(first, second);
    return 0;
}
