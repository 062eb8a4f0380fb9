// RACY. A timedlock that gave up holds nothing, and the thread writes all the same.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data;

static void holder(void) {
    pthread_mutex_lock(&lock);
    data = 1;
    reached(1);
    await(2);
    pthread_mutex_unlock(&lock);
}

static void impatient(void) {
    struct timespec past = {1, 0};
    await(1);
    CHECK(pthread_mutex_timedlock(&lock, &past) == ETIMEDOUT);
    data = 2;  //~ race: data-race (with line 9)
    reached(2);
}

int main(void) {
    run_both(holder, impatient);
    return 0;
}
