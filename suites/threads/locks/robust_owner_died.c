// CLEAN. The end of its owner releases a robust mutex: who then gets EOWNERDEAD comes after all that the owner did.
#include "../support.h"

static pthread_mutex_t lock;
int data;

static void owner(void) {
    CHECK(pthread_mutex_lock(&lock) == 0);
    data = 1;
    reached(1);
}

static void heir(void) {
    await(1);
    CHECK(pthread_mutex_lock(&lock) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&lock) == 0);
    data = 2;
    pthread_mutex_unlock(&lock);
}

int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    run_both(owner, heir);
    CHECK(data == 2);
    return 0;
}
