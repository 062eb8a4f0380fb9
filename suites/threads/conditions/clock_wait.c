// CLEAN. pthread_cond_clockwait gives the mutex back and takes it again, as pthread_cond_wait does.
#include "../support.h"
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void writer(void) {
    await(1);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_signal(&changed);
}

static void reader(void) {
    pthread_mutex_lock(&lock);
    reached(1);
    while (!ready) {
        struct timespec late;
        clock_gettime(CLOCK_MONOTONIC, &late);
        late.tv_sec += 100;
        pthread_cond_clockwait(&changed, &lock, CLOCK_MONOTONIC, &late);
    }
    pthread_mutex_unlock(&lock);
}

int main(void) {
    run_both(reader, writer);
    return 0;
}
