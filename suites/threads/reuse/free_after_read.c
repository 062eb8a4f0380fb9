// RACY. The read comes first in time, but the free is not ordered after it.
#include "../support.h"

static int *shared;

static void reader(void) {
    use(shared[6]);
    reached(1);
}

static void freer(void) {
    await(1);
    free(shared);  //~ race: use-after-free (with line 7)
}

int main(void) {
    shared = (int *)calloc(10, sizeof *shared);
    run_both(reader, freer);
    return 0;
}
