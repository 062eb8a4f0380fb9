// RACY. Two threads run the same handler, each for a signal of its own.
#include "../support.h"
#include <signal.h>

volatile sig_atomic_t count;

static void handler(int number) {
    count = number;  //~ race: data-race (with itself)
}

static void raiser(void) {
    raise(SIGUSR1);
}

int main(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    run_both(raiser, raiser);
    return 0;
}
