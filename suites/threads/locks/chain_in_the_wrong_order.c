// RACY. The thread between takes the second lock before the first: the chain is broken.
#include "../support.h"

static pthread_mutex_t lock_a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock_b = PTHREAD_MUTEX_INITIALIZER;
int data;

static void first(void) {
    pthread_mutex_lock(&lock_a);
    data = 1;
    pthread_mutex_unlock(&lock_a);
    reached(1);
}

static void second(void) {
    await(1);
    pthread_mutex_lock(&lock_b);
    pthread_mutex_unlock(&lock_b);
    pthread_mutex_lock(&lock_a);
    pthread_mutex_unlock(&lock_a);
    reached(2);
}

static void third(void) {
    await(2);
    pthread_mutex_lock(&lock_b);
    data = 2;  //~ race: data-race (with line 10)
    pthread_mutex_unlock(&lock_b);
}

int main(void) {
    pthread_t a = spawn(first);
    pthread_t b = spawn(second);
    pthread_t c = spawn(third);
    join(a);
    join(b);
    join(c);
    return 0;
}
