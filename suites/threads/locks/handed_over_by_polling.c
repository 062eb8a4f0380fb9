// CLEAN. The reader polls a flag under the lock, and then reads outside of it what was written before the flag.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready;
int data;

static void writer(void) {
    data = 42;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
}

static void reader(void) {
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&lock);
        seen = ready;
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    CHECK(data == 42);
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
