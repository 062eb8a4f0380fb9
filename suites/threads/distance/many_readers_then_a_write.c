// RACY. Thirty threads read a cell in turn; one of them is not ordered before the write that follows.
#include "../support.h"
#include <stdatomic.h>

enum { READERS = 30 };
static atomic_int turn;
static atomic_int next_self;
static atomic_int done;
int data;

static void ordered_reader(void) {
    int self = atomic_fetch_add_explicit(&next_self, 1, memory_order_relaxed);
    while (atomic_load_explicit(&turn, memory_order_relaxed) != self) {
        sched_yield();
    }
    use(data);
    atomic_fetch_add_explicit(&done, 1, memory_order_release);
    atomic_store_explicit(&turn, self + 1, memory_order_relaxed);
}

static void unordered_reader(void) {
    use(data);
    reached(1);
}

int main(void) {
    pthread_t readers[READERS];
    pthread_t unordered = spawn(unordered_reader);
    await(1);
    for (int i = 0; i < READERS; i++) {
        readers[i] = spawn(ordered_reader);
    }
    while (atomic_load_explicit(&done, memory_order_acquire) != READERS) {
        sched_yield();
    }
    data = 1;  //~ race: data-race (with line 22)
    for (int i = 0; i < READERS; i++) {
        join(readers[i]);
    }
    join(unordered);
    return 0;
}
