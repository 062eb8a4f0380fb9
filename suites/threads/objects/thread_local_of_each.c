// CLEAN. Each thread has its own thread-local variable.
#include "../support.h"

static _Thread_local int mine;

static void worker(void) {
    for (int i = 0; i < 100; i++) {
        mine++;
    }
    CHECK(mine == 100);
}

int main(void) {
    run_both(worker, worker);
    CHECK(mine == 0);
    return 0;
}
