// CLEAN. The detached thread says by a release store that it is done.
#include "../support.h"

int data;
int done;

static void worker(void) {
    data = 1;
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
}

int main(void) {
    pthread_detach(spawn(worker));
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    CHECK(data == 1);
    return 0;
}
