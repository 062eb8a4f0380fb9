// CLEAN. A recursive mutex is still held after the inner unlock.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
int data;

static void count(void) {
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        pthread_mutex_lock(&lock);
        data++;
        pthread_mutex_unlock(&lock);
        data++;
        pthread_mutex_unlock(&lock);
    }
}

int main(void) {
    run_both(count, count);
    CHECK(data == 400);
    return 0;
}
