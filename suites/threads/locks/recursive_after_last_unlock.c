// RACY. Two locks of a recursive mutex, two unlocks, and then a write.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int data;

static void first(void) {
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(&lock);
    data = 1;
    reached(1);
}

static void second(void) {
    await(1);
    pthread_mutex_lock(&lock);
    data = 2;  //~ race: data-race (with line 12)
    pthread_mutex_unlock(&lock);
}

int main(void) {
    run_both(first, second);
    return 0;
}
