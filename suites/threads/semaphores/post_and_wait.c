// CLEAN. A wait that takes what a post gave comes after it.
#include "../support.h"
#include <semaphore.h>

static sem_t full;
int data;

static void producer(void) {
    data = 42;
    sem_post(&full);
}

static void consumer(void) {
    CHECK(sem_wait(&full) == 0);
    CHECK(data == 42);
}

int main(void) {
    sem_init(&full, 0, 0);
    run_both(producer, consumer);
    sem_destroy(&full);
    return 0;
}
