// CLEAN. A reader waits for a predicate under its mutex.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int data;

static void writer(void) {
    data = 42;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void reader(void) {
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    CHECK(data == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
