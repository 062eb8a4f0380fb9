// RACY. A realloc that moves the block frees the old one under a reader's feet.
#include "../support.h"

static int *shared;

static void reader(void) {
    use(shared[1]);
    reached(1);
}

static void grower(void) {
    int *old = shared;
    await(1);
    int *grown = (int *)realloc(old, 1 << 22);  //~ race: use-after-free (with line 7)
    CHECK(grown != NULL);
    free(grown);
}

int main(void) {
    shared = (int *)calloc(4, sizeof *shared);
    run_both(reader, grower);
    return 0;
}
