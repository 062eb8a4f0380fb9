// RACY. Each thread gets the address of the loop's variable, which main goes on changing.
#include "../support.h"

int next_thread;

static void *worker(void *argument) {
    use(*(int *)argument);
    return NULL;
}

int main(void) {
    pthread_t threads[4];
    while (next_thread < 4) {
        CHECK(pthread_create(&threads[next_thread], NULL, worker, &next_thread) == 0);
        next_thread++;  //~ race: data-race (with line 7)
    }
    for (int i = 0; i < 4; i++) {
        join(threads[i]);
    }
    return 0;
}
