// CLEAN. pthread_mutex_clocklock that returns 0 is a lock like any other.
#include "../support.h"
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        struct timespec late;
        clock_gettime(CLOCK_MONOTONIC, &late);
        late.tv_sec += 100;
        CHECK(pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &late) == 0);
        counter++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(counter == 200);
    return 0;
}
