// RACY. Of 500 threads that are alive together, the first and the last share a cell.
//@ threads: 500
#include "../support.h"

enum { THREADS = 500 };
int cells[THREADS];
int next_self;

static void worker(void) {
    int self = __atomic_fetch_add(&next_self, 1, __ATOMIC_RELAXED);
    if (self == 0) {
        cells[0] = 1;
    } else if (self == THREADS - 1) {
        cells[0] = 2;  //~ race: data-race (with line 12)
    } else {
        cells[self] = 3;
    }
    __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
    await(THREADS);
}

int main(void) {
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        threads[i] = spawn(worker);
    }
    for (int i = 0; i < THREADS; i++) {
        join(threads[i]);
    }
    return 0;
}
