// RACY. The second thread looks at the data before it takes the lock that would order it.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int data;

static void first(void) {
    pthread_mutex_lock(&lock);
    data = 1;
    pthread_mutex_unlock(&lock);
    reached(1);
}

static void second(void) {
    await(1);
    use(data);  //~ race: data-race (with line 9)
    pthread_mutex_lock(&lock);
    use(data);
    pthread_mutex_unlock(&lock);
}

int main(void) {
    run_both(first, second);
    return 0;
}
