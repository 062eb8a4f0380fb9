// CLEAN. Each thread has its own argument, and hands back a result through pthread_exit and pthread_join.
#include "../support.h"

static void *worker(void *argument) {
    int *result = (int *)malloc(sizeof *result);
    *result = *(int *)argument * 2;
    pthread_exit(result);
}

int main(void) {
    pthread_t threads[4];
    int arguments[4];
    for (int i = 0; i < 4; i++) {
        arguments[i] = i;
        CHECK(pthread_create(&threads[i], NULL, worker, &arguments[i]) == 0);
    }
    for (int i = 0; i < 4; i++) {
        void *result;
        CHECK(pthread_join(threads[i], &result) == 0);
        CHECK(*(int *)result == i * 2);
        free(result);
    }
    return 0;
}
