// CLEAN. 256 threads at once, each with its own cell, and a lock for the sum.
//@ threads: 256
#include "../support.h"

enum { THREADS = 256 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int cells[THREADS];
int next_self;
int sum;

static void worker(void) {
    int self = __atomic_fetch_add(&next_self, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
    cells[self] = self;
    await(THREADS);
    pthread_mutex_lock(&lock);
    sum += cells[self];
    pthread_mutex_unlock(&lock);
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = spawn(worker);
    }
    for (int i = 0; i < THREADS; i++) {
        join(threads[i]);
    }
    CHECK(sum == THREADS * (THREADS - 1) / 2);
    return 0;
}
