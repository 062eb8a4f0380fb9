// RACY. A reader asks for the write lock, is told EBUSY, and writes.
#include "../support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;

static void reader(void) {
    pthread_rwlock_rdlock(&lock);
    use(data);
    reached(1);
    await(2);
    pthread_rwlock_unlock(&lock);
}

static void upgrader(void) {
    await(1);
    CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
    data = 1;  //~ race: data-race (with line 9)
    reached(2);
}

int main(void) {
    run_both(reader, upgrader);
    return 0;
}
