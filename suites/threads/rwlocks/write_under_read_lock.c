// RACY. Both threads hold the lock for reading, and write.
#include "../support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void one(void) {
    pthread_rwlock_rdlock(&lock);
    data = 1;
    reached(1);
    await(2);
    pthread_rwlock_unlock(&lock);
}

static void other(void) {
    await(1);
    pthread_rwlock_rdlock(&lock);
    data = 2;  //~ race: data-race (with line 9)
    pthread_rwlock_unlock(&lock);
    reached(2);
}

int main(void) {
    run_both(one, other);
    return 0;
}
