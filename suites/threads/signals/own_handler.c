// CLEAN. A handler writes a sig_atomic_t of the thread that it interrupts.
#include "../support.h"
#include <signal.h>

volatile sig_atomic_t seen;

static void handler(int number) {
    seen = number;
}

int main(void) {
    signal(SIGUSR1, handler);
    raise(SIGUSR1);
    CHECK(seen == SIGUSR1);
    pthread_kill(pthread_self(), SIGUSR1);
    CHECK(seen == SIGUSR1);
    return 0;
}
