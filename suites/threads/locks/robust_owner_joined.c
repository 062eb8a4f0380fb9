// CLEAN. The owner of a robust mutex ends with the lock held; main joins it, repairs the lock and uses the data.
#include "../support.h"

static pthread_mutex_t lock;
int data;

static void owner(void) {
    CHECK(pthread_mutex_lock(&lock) == 0);
    data = 1;
}

int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    join(spawn(owner));
    CHECK(pthread_mutex_lock(&lock) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&lock) == 0);
    CHECK(data == 1);
    pthread_mutex_unlock(&lock);
    return 0;
}
