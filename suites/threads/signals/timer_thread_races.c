// RACY. The function of a timer writes in its own thread, and main reads without waiting for more than a relaxed flag.
//@ needs: foreign-threads
#include "../support.h"
#include <signal.h>
#include <time.h>

int data;

static void expired(union sigval value) {
    data = value.sival_int;
    reached(1);
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
    CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
    CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
    await(1);
    use(data);  //~ race: data-race (with line 10)
    return 0;
}
