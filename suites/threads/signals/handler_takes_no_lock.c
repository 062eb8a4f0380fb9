// RACY. A handler counts in a variable that another thread changes under a lock.
#include "../support.h"
#include <signal.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void handler(int number) {
    counter += number;
}

static void raiser(void) {
    raise(SIGUSR1);
}

static void locker(void) {
    pthread_mutex_lock(&lock);
    counter++;  //~ race: data-race (with line 9)
    pthread_mutex_unlock(&lock);
}

int main(void) {
    signal(SIGUSR1, handler);
    run_both(raiser, locker);
    return 0;
}
