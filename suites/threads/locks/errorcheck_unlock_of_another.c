// RACY. Unlocking the mutex of another thread fails with EPERM and hands nothing over.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
int data;

static void owner(void) {
    CHECK(pthread_mutex_lock(&lock) == 0);
    data = 1;
    reached(1);
    await(2);
    CHECK(pthread_mutex_unlock(&lock) == 0);
}

static void stranger(void) {
    await(1);
    CHECK(pthread_mutex_unlock(&lock) == EPERM);
    data = 2;  //~ race: data-race (with line 9)
    reached(2);
}

int main(void) {
    run_both(owner, stranger);
    return 0;
}
