// CLEAN. A ticket lock: relaxed tickets, acquire and release on the number that is served.
#include "../support.h"
#include <stdatomic.h>

static atomic_uint next_ticket;
static atomic_uint served;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        unsigned mine = atomic_fetch_add_explicit(&next_ticket, 1, memory_order_relaxed);
        while (atomic_load_explicit(&served, memory_order_acquire) != mine) {
            sched_yield();
        }
        counter++;
        atomic_store_explicit(&served, mine + 1, memory_order_release);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(counter == 200);
    return 0;
}
