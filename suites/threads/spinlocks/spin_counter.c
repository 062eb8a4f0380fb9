// CLEAN. A pthread spin lock, taken by lock and by trylock.
#include "../support.h"

static pthread_spinlock_t lock;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        while (pthread_spin_trylock(&lock) != 0) {
            sched_yield();
        }
        counter++;
        pthread_spin_unlock(&lock);
    }
}

int main(void) {
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    run_both(count, count);
    pthread_spin_lock(&lock);
    CHECK(counter == 200);
    pthread_spin_unlock(&lock);
    pthread_spin_destroy(&lock);
    return 0;
}
