// CLEAN. A mutex with priority inheritance is a mutex.
#include "../support.h"

static pthread_mutex_t lock;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        CHECK(pthread_mutex_lock(&lock) == 0);
        counter++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    pthread_mutexattr_t inherit;
    pthread_mutexattr_init(&inherit);
    pthread_mutexattr_setprotocol(&inherit, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&lock, &inherit);
    run_both(count, count);
    CHECK(counter == 200);
    pthread_mutex_destroy(&lock);
    return 0;
}
