// RACY. What is written after the signal and the unlock is not handed over.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int data;

static void writer(void) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    data = 42;
}

static void reader(void) {
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    use(data);  //~ race: data-race (with line 14)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
