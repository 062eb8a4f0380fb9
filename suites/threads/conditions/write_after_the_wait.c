// RACY. The woken thread unlocks and writes; a lock that its waker takes later does not order that.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;
int data;

static void waiter(void) {
    pthread_mutex_lock(&lock);
    while (!ready) {
        pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
    data = 1;
    reached(1);
}

static void waker(void) {
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    await(1);
    pthread_mutex_lock(&lock);
    use(data);  //~ race: data-race (with line 15)
    pthread_mutex_unlock(&lock);
}

int main(void) {
    run_both(waiter, waker);
    return 0;
}
