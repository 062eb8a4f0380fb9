// RACY. clock_gettime leaves its result in memory that another thread reads.
#include "../support.h"
#include <time.h>

struct timespec now;

static void clock_reader(void) {
    CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
}

static void reader(void) {
    use(now.tv_nsec);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(clock_reader, reader);
    return 0;
}
