// CLEAN. A timed wait that times out again and again still holds the mutex after each time-out.
#include "../support.h"
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int rounds;

static void writer(void) {
    pthread_mutex_lock(&lock);
    ready = 1;
    rounds++;
    pthread_mutex_unlock(&lock);
}

static void reader(void) {
    pthread_mutex_lock(&lock);
    while (!ready) {
        struct timespec soon;
        clock_gettime(CLOCK_REALTIME, &soon);
        pthread_cond_timedwait(&changed, &lock, &soon);
        rounds++;
    }
    pthread_mutex_unlock(&lock);
}

int main(void) {
    run_both(reader, writer);
    CHECK(rounds > 0);
    return 0;
}
