// RACY. Each thread holds a lock, but not the same one.
#include "../support.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_b = PTHREAD_MUTEX_INITIALIZER;
int data;

static void one(void) {
    pthread_mutex_lock(&lock_a);
    data = 1;
    pthread_mutex_unlock(&lock_a);
}

static void other(void) {
    pthread_mutex_lock(&lock_b);
    data = 2;  //~ race: data-race (with line 10)
    pthread_mutex_unlock(&lock_b);
}

int main(void) {
    run_both(one, other);
    return 0;
}
