// CLEAN. The last of four threads, by an acq_rel counter, reads what the others wrote.
#include "../support.h"
#include <stdatomic.h>

enum { THREADS = 4 };
static atomic_int arrived;
static atomic_int next_self;
int parts[THREADS];
int sum;

static void worker(void) {
    int self = atomic_fetch_add_explicit(&next_self, 1, memory_order_relaxed);
    parts[self] = self + 1;
    if (atomic_fetch_add_explicit(&arrived, 1, memory_order_acq_rel) == THREADS - 1) {
        for (int i = 0; i < THREADS; i++) {
            sum += parts[i];
        }
    }
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = spawn(worker);
    }
    for (int i = 0; i < THREADS; i++) {
        join(threads[i]);
    }
    CHECK(sum == 10);
    return 0;
}
