// RACY. The spin lock is busy, and the thread goes on.
#include "../support.h"

static pthread_spinlock_t lock;
int data;

static void holder(void) {
    pthread_spin_lock(&lock);
    data = 1;
    reached(1);
    await(2);
    pthread_spin_unlock(&lock);
}

static void hasty(void) {
    await(1);
    CHECK(pthread_spin_trylock(&lock) == EBUSY);
    data = 2;  //~ race: data-race (with line 9)
    reached(2);
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    run_both(holder, hasty);
    return 0;
}
