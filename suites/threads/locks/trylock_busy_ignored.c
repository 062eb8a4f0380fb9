// RACY. The answer EBUSY of a trylock is not looked at.
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

static void hasty(void) {
    await(1);
    int result = pthread_mutex_trylock(&lock);
    data = 2;  //~ race: data-race (with line 9)
    reached(2);
    CHECK(result == EBUSY);
}

int main(void) {
    run_both(holder, hasty);
    return 0;
}
