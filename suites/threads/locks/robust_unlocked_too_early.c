// RACY. After EOWNERDEAD the heir unlocks first and writes afterwards.
#include "../support.h"

static pthread_mutex_t lock;
int data;

static void owner(void) {
    CHECK(pthread_mutex_lock(&lock) == 0);
}

static void heir(void) {
    CHECK(pthread_mutex_lock(&lock) == EOWNERDEAD);
    CHECK(pthread_mutex_consistent(&lock) == 0);
    pthread_mutex_unlock(&lock);
    data = 1;
    reached(1);
}

static void third(void) {
    await(1);
    CHECK(pthread_mutex_lock(&lock) == 0);
    data = 2;  //~ race: data-race (with line 15)
    pthread_mutex_unlock(&lock);
}

int main(void) {
    pthread_mutexattr_t robust;
    pthread_mutexattr_init(&robust);
    pthread_mutexattr_setrobust(&robust, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&lock, &robust);
    join(spawn(owner));
    run_both(heir, third);
    return 0;
}
