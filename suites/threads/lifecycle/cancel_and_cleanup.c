// CLEAN. A cancelled thread runs its clean-up handler, which is before the join.
#include "../support.h"
#include <unistd.h>

int data;

static void clean_up(void *argument) {
    *(int *)argument = 2;
}

static void worker(void) {
    pthread_cleanup_push(clean_up, &data);
    data = 1;
    reached(1);
    while (1) {
        pthread_testcancel();
        usleep(100);
    }
    pthread_cleanup_pop(0);
}

int main(void) {
    pthread_t thread = spawn(worker);
    await(1);
    CHECK(pthread_cancel(thread) == 0);
    join(thread);
    CHECK(data == 2);
    return 0;
}
