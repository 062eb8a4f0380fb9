// CLEAN. A writer comes after every reader that has given the lock back.
#include "../support.h"

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int data;
int read_by[2];

static void reader(void) {
    pthread_rwlock_rdlock(&lock);
    use(data);
    pthread_rwlock_unlock(&lock);
    __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
}

static void writer(void) {
    await(2);
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
    data = 1;
}

int main(void) {
    pthread_t more = spawn(reader);
    run_both(reader, writer);
    join(more);
    return 0;
}
