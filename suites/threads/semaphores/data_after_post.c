// RACY. The producer writes when it has already posted.
#include "../support.h"
#include <semaphore.h>

static sem_t full;
int data;

static void producer(void) {
    sem_post(&full);
    data = 42;
}

static void consumer(void) {
    sem_wait(&full);
    use(data);  //~ race: data-race (with line 10)
}

int main(void) {
    sem_init(&full, 0, 0);
    run_both(producer, consumer);
    return 0;
}
