// RACY. A trywait that fails has seen no post.
#include "../support.h"
#include <semaphore.h>

static sem_t none;
int data;

static void first(void) {
    data = 1;
    reached(1);
}

static void second(void) {
    await(1);
    CHECK(sem_trywait(&none) == -1);
    data = 2;  //~ race: data-race (with line 9)
}

int main(void) {
    sem_init(&none, 0, 0);
    run_both(first, second);
    return 0;
}
