// RACY. One thread frees, another one reads, and nothing orders them.
#include "../support.h"

static int *shared;

static void freer(void) {
    free(shared);
    reached(1);
}

static void reader(void) {
    int *stale = shared;
    await(1);
    use(stale[6]);  //~ race: use-after-free (with line 7)
}

int main(void) {
    shared = (int *)malloc(10 * sizeof *shared);
    run_both(freer, reader);
    return 0;
}
