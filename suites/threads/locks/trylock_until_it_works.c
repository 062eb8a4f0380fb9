// CLEAN. A trylock in a loop is a lock once it returns 0.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        while (pthread_mutex_trylock(&lock) != 0) {
            sched_yield();
        }
        counter++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(counter == 200);
    return 0;
}
