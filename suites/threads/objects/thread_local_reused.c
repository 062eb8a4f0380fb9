// CLEAN. The thread-local variable of an ended thread is at the same address as that of the next one.
#include "../support.h"

static _Thread_local int mine[64];

static void worker(void) {
    for (int i = 0; i < 64; i++) {
        CHECK(mine[i] == 0);
        mine[i] = i + 1;
    }
    __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
}

int main(void) {
    for (int i = 1; i <= 100; i++) {
        pthread_detach(spawn(worker));
        await(i);
    }
    return 0;
}
