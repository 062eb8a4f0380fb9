// CLEAN. Timed and try forms that return 0 hold the lock.
#include "../support.h"
#include <time.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void writer(void) {
    for (int i = 0; i < 50; i++) {
        struct timespec late;
        clock_gettime(CLOCK_REALTIME, &late);
        late.tv_sec += 100;
        CHECK(pthread_rwlock_timedwrlock(&lock, &late) == 0);
        data++;
        pthread_rwlock_unlock(&lock);
        while (pthread_rwlock_trywrlock(&lock) != 0) {
            sched_yield();
        }
        data++;
        pthread_rwlock_unlock(&lock);
    }
}

static void reader(void) {
    for (int i = 0; i < 50; i++) {
        struct timespec late;
        clock_gettime(CLOCK_REALTIME, &late);
        late.tv_sec += 100;
        CHECK(pthread_rwlock_timedrdlock(&lock, &late) == 0);
        use(data);
        pthread_rwlock_unlock(&lock);
        while (pthread_rwlock_tryrdlock(&lock) != 0) {
            sched_yield();
        }
        use(data);
        pthread_rwlock_unlock(&lock);
    }
}

int main(void) {
    run_both(writer, reader);
    CHECK(data == 100);
    return 0;
}
