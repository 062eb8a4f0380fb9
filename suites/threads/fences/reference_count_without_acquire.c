// RACY. Who takes the reference count to zero frees without an acquire.
#include "../support.h"
#include <stdatomic.h>

static atomic_int references = 2;
static int *shared;

static void first(void) {
    shared[0] = 1;
    atomic_fetch_sub_explicit(&references, 1, memory_order_release);
    reached(1);
}

static void last(void) {
    await(1);
    if (atomic_fetch_sub_explicit(&references, 1, memory_order_release) == 1) {
        free(shared);  //~ race: use-after-free (with line 9)
    }
}

int main(void) {
    shared = (int *)malloc(sizeof *shared);
    run_both(first, last);
    return 0;
}
