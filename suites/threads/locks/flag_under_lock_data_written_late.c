// RACY. The flag is handed over under the lock, but the data is written after it.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready;
int data;

static void writer(void) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    data = 42;
}

static void reader(void) {
    for (int seen = 0; !seen;) {
        pthread_mutex_lock(&lock);
        seen = ready;
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    use(data);  //~ race: data-race (with line 12)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
