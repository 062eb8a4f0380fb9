// CLEAN. Between two barriers only the serial thread works.
#include "../support.h"

static pthread_barrier_t barrier;
int data;

static void work(void) {
    for (int i = 0; i < 50; i++) {
        if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
            data++;
        }
        pthread_barrier_wait(&barrier);
        CHECK(data == i + 1);
    }
}

int main(void) {
    pthread_barrier_init(&barrier, NULL, 2);
    run_both(work, work);
    return 0;
}
