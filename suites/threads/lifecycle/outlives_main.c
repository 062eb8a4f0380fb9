// CLEAN. Main hands its data over and ends by pthread_exit; its thread goes on and ends the process.
#include "../support.h"

int data;
int handed_over;

static void worker(void) {
    while (!__atomic_load_n(&handed_over, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    data++;
    CHECK(data == 2);
    exit(0);
}

int main(void) {
    spawn(worker);
    data = 1;
    __atomic_store_n(&handed_over, 1, __ATOMIC_RELEASE);
    pthread_exit(NULL);
}
