// CLEAN. The second lock of an error-checking mutex says EDEADLK; the first one is still held.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int counter;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        CHECK(pthread_mutex_lock(&lock) == 0);
        CHECK(pthread_mutex_lock(&lock) == EDEADLK);
        counter++;
        CHECK(pthread_mutex_unlock(&lock) == 0);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(counter == 200);
    return 0;
}
