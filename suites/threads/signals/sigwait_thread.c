// CLEAN. One thread takes all signals by sigwait; what it counts is under a lock.
#include "../support.h"
#include <signal.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sigset_t wanted;
int count;

static void taker(void) {
    int number;
    CHECK(sigwait(&wanted, &number) == 0 && number == SIGUSR1);
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
}

static void sender(void) {
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    kill(getpid(), SIGUSR1);
}

int main(void) {
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &wanted, NULL);
    run_both(taker, sender);
    CHECK(count == 2);
    return 0;
}
