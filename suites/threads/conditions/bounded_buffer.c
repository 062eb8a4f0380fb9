// CLEAN. Two producers and two consumers share a bounded buffer; spurious wake-ups do no harm.
#include "../support.h"

enum { ITEMS = 500, ROOM = 8 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER;
int *buffer[ROOM];
int used;
long sums[2];
int next_consumer;

static void produce(void) {
    for (int i = 1; i <= ITEMS; i++) {
        int *item = (int *)malloc(sizeof *item);
        *item = i;
        pthread_mutex_lock(&lock);
        while (used == ROOM) {
            pthread_cond_wait(&not_full, &lock);
        }
        buffer[used++] = item;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&lock);
    }
}

static void consume(void) {
    pthread_mutex_lock(&lock);
    int self = next_consumer++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&lock);
        while (used == 0) {
            pthread_cond_wait(&not_empty, &lock);
        }
        int *item = buffer[--used];
        pthread_cond_broadcast(&not_full);
        pthread_mutex_unlock(&lock);
        sums[self] += *item;
        free(item);
    }
}

int main(void) {
    pthread_t producers[2] = {spawn(produce), spawn(produce)};
    run_both(consume, consume);
    join(producers[0]);
    join(producers[1]);
    CHECK(sums[0] + sums[1] == ITEMS * (ITEMS + 1L));
    return 0;
}
