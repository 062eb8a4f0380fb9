// RACY. The predicate is set without the mutex; the signal alone orders nothing.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
int ready;

static void waiter(void) {
    pthread_mutex_lock(&lock);
    use(ready);
    pthread_mutex_unlock(&lock);
    reached(1);
}

static void setter(void) {
    await(1);
    ready = 1;  //~ race: data-race (with line 10)
    pthread_cond_signal(&changed);
}

int main(void) {
    run_both(waiter, setter);
    return 0;
}
