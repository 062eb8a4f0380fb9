// RACY. Without a second barrier, the next phase writes what a neighbour still reads.
#include "../support.h"

static pthread_barrier_t barrier;
int cell;

static void owner(void) {
    pthread_barrier_wait(&barrier);
    cell = 2;
}

static void neighbour(void) {
    pthread_barrier_wait(&barrier);
    use(cell);  //~ race: data-race (with line 9)
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(owner, neighbour);
    return 0;
}
