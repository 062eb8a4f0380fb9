// CLEAN. A timer runs its function in a thread that the C library makes; a semaphore hands the data over.
//@ needs: foreign-threads
#include "../support.h"
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t done;
int data;

static void expired(union sigval value) {
    CHECK(data == value.sival_int);
    data = 2;
    sem_post(&done);
}

int main(void) {
    timer_t timer;
    struct sigevent event;
    struct itimerspec soon;
    memset(&event, 0, sizeof event);
    memset(&soon, 0, sizeof soon);
    event.sigev_notify = SIGEV_THREAD;
    event.sigev_notify_function = expired;
    event.sigev_value.sival_int = 1;
    soon.it_value.tv_nsec = 1000000;
    sem_init(&done, 0, 0);
    data = 1;
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
    while (sem_wait(&done) != 0) {
    }
    CHECK(data == 2);
    return 0;
}
