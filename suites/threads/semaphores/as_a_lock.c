// CLEAN. A semaphore of one as a lock, by wait, trywait and timedwait.
#include "../support.h"
#include <semaphore.h>
#include <time.h>

static sem_t one;
int counter;

static void count(void) {
    for (int i = 0; i < 50; i++) {
        struct timespec late;
        clock_gettime(CLOCK_REALTIME, &late);
        late.tv_sec += 100;
        sem_wait(&one);
        counter++;
        sem_post(&one);
        while (sem_trywait(&one) != 0) {
            sched_yield();
        }
        counter++;
        sem_post(&one);
        CHECK(sem_timedwait(&one, &late) == 0);
        counter++;
        sem_post(&one);
    }
}

int main(void) {
    sem_init(&one, 0, 1);
    run_both(count, count);
    CHECK(counter == 300);
    return 0;
}
