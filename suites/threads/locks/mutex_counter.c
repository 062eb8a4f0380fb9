// CLEAN. Two threads count under one mutex, and main reads after the joins.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;

static void count(void) {
    for (int i = 0; i < 1000; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(counter == 2000);
    return 0;
}
