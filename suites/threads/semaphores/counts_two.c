// RACY. A semaphore of two lets two threads in at the same time.
#include "../support.h"
#include <semaphore.h>

static sem_t two;
int data;

static void first(void) {
    sem_wait(&two);
    data = 1;
    reached(1);
    await(2);
    sem_post(&two);
}

static void second(void) {
    await(1);
    sem_wait(&two);
    data = 2;  //~ race: data-race (with line 10)
    reached(2);
    sem_post(&two);
}

int main(void) {
    sem_init(&two, 0, 2);
    run_both(first, second);
    return 0;
}
