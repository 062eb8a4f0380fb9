// RACY. Each thread takes a lock of its own very often between the two accesses that race.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data;

static void first(void) {
    data = 1;
    for (int i = 0; i < 200000; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock);
    }
    reached(1);
}

static void second(void) {
    await(1);
    data = 2;  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(first, second);
    return 0;
}
