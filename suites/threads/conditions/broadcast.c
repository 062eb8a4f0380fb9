// CLEAN. A broadcast wakes ten readers, each of which checks its predicate.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int data;

static void reader(void) {
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    CHECK(data == 42);
}

int main(void) {
    pthread_t readers[10];
    for (int i = 0; i < 10; i++) {
        readers[i] = spawn(reader);
    }
    data = 42;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_cond_broadcast(&changed);
    for (int i = 0; i < 10; i++) {
        join(readers[i]);
    }
    return 0;
}
