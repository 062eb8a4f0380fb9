// RACY. The producer changes an item that it has already handed to the consumer.
#include "../support.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
int *slot;
int item;

static void produce(void) {
    pthread_mutex_lock(&lock);
    slot = &item;
    pthread_cond_signal(&not_empty);
    pthread_mutex_unlock(&lock);
    item = 2;
}

static void consume(void) {
    pthread_mutex_lock(&lock);
    while (slot == NULL) {
        pthread_cond_wait(&not_empty, &lock);
    }
    int *mine = slot;
    pthread_mutex_unlock(&lock);
    use(*mine);  //~ race: data-race (with line 14)
}

int main(void) {
    run_both(produce, consume);
    return 0;
}
