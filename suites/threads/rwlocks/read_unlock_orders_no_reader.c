// RACY. A reader that comes after another reader is not ordered after it: read locks do not synchronise with each other.
#include "../support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void first(void) {
    data = 1;
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    reached(1);
}

static void second(void) {
    await(1);
    pthread_rwlock_rdlock(&lock);
    pthread_rwlock_unlock(&lock);
    data = 2;  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(first, second);
    return 0;
}
