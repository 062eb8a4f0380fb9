// CLEAN. Thirty threads read a cell at the same time, and the write comes after all of them.
#include "../support.h"
#include <stdatomic.h>

enum { READERS = 30 };
static atomic_int done;
int data;

static void reader(void) {
    use(data);
    atomic_fetch_add_explicit(&done, 1, memory_order_release);
}

int main(void) {
    pthread_t readers[READERS];
    for (int i = 0; i < READERS; i++) {
        readers[i] = spawn(reader);
    }
    while (atomic_load_explicit(&done, memory_order_acquire) != READERS) {
        sched_yield();
    }
    data = 1;
    for (int i = 0; i < READERS; i++) {
        join(readers[i]);
    }
    return 0;
}
