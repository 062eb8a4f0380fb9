// RACY. The first thread writes once more when it has given the lock back.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data;

static void first(void) {
    pthread_mutex_lock(&lock);
    use(data);
    pthread_mutex_unlock(&lock);
    data = 2;
    reached(1);
}

static void second(void) {
    await(1);
    pthread_mutex_lock(&lock);
    use(data);  //~ race: data-race (with line 11)
    pthread_mutex_unlock(&lock);
}

int main(void) {
    run_both(first, second);
    return 0;
}
