// CLEAN. Four threads write their own cells, meet, and read their neighbours'.
#include "../support.h"

enum { THREADS = 4, PHASES = 20 };
static pthread_barrier_t barrier;
int cells[THREADS];
int next_self;

static void phase(void) {
    int self = __atomic_fetch_add(&next_self, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < PHASES; i++) {
        cells[self] = i;
        pthread_barrier_wait(&barrier);
        CHECK(cells[(self + 1) % THREADS] == i);
        pthread_barrier_wait(&barrier);
    }
}

int main(void) {
    pthread_t threads[THREADS];
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        threads[i] = spawn(phase);
    }
    for (int i = 0; i < THREADS; i++) {
        join(threads[i]);
    }
    pthread_barrier_destroy(&barrier);
    return 0;
}
