// CLEAN. A timer interrupts threads at every point of their short lives; its handler reads what main wrote before all of them.
#include "../support.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

static int configuration[64];
static atomic_long sum;
int counters[4];

static void on_alarm(int signal) {
    long total = 0;
    (void)signal;
    for (int i = 0; i < 64; i++) {
        total += configuration[i];
    }
    atomic_fetch_add_explicit(&sum, total, memory_order_relaxed);
}

static void *worker(void *counter) {
    ++*(int *)counter;
    return NULL;
}

static void set_timer(int microseconds) {
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    CHECK(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

int main(void) {
    struct sigaction action;
    pthread_t threads[4];
    for (int i = 0; i < 64; i++) {
        configuration[i] = i;
    }
    memset(&action, 0, sizeof action);
    action.sa_handler = on_alarm;
    action.sa_flags = SA_RESTART;
    CHECK(sigaction(SIGALRM, &action, NULL) == 0);
    set_timer(300);
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 4; i++) {
            CHECK(pthread_create(&threads[i], NULL, worker, &counters[i]) == 0);
        }
        for (int i = 0; i < 4; i++) {
            join(threads[i]);
        }
    }
    set_timer(0);
    CHECK(counters[0] == 300);
    return 0;
}
