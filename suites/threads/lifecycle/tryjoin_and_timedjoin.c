// CLEAN. pthread_tryjoin_np and pthread_timedjoin_np that return 0 are joins.
#include "../support.h"
#include <time.h>

int data;

static void worker(void) {
    data++;
}

int main(void) {
    pthread_t thread = spawn(worker);
    while (pthread_tryjoin_np(thread, NULL) != 0) {
        sched_yield();
    }
    data++;
    thread = spawn(worker);
    struct timespec late;
    clock_gettime(CLOCK_REALTIME, &late);
    late.tv_sec += 100;
    CHECK(pthread_timedjoin_np(thread, NULL, &late) == 0);
    CHECK(data == 3);
    return 0;
}
