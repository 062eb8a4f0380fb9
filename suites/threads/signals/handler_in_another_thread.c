// RACY. The handler runs in one thread and another one reads its volatile sig_atomic_t.
#include "../support.h"
#include <signal.h>

volatile sig_atomic_t seen;

static void handler(int number) {
    seen = number;
}

static void raiser(void) {
    raise(SIGUSR1);
}

static void reader(void) {
    use(seen);  //~ race: data-race (with line 8)
}

int main(void) {
    signal(SIGUSR1, handler);
    run_both(raiser, reader);
    return 0;
}
