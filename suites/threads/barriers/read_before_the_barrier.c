// RACY. One thread reads before the barrier what the other one writes before it.
#include "../support.h"

static pthread_barrier_t barrier;
int data;

static void writer(void) {
    data = 1;
    pthread_barrier_wait(&barrier);
}

static void reader(void) {
    use(data);  //~ race: data-race (with line 8)
    pthread_barrier_wait(&barrier);
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(writer, reader);
    return 0;
}
