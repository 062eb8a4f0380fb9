// CLEAN. Main frees what its threads used when it has joined them.
#include "../support.h"

static int *shared;

static void reader(void) {
    CHECK(shared[6] == 0);
}

int main(void) {
    shared = (int *)calloc(10, sizeof *shared);
    run_both(reader, reader);
    shared[6] = 1;
    free(shared);
    return 0;
}
