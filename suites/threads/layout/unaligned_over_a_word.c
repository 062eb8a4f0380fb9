// RACY. An unaligned int reaches into the next word of eight bytes, where another thread writes.
#include "../support.h"

typedef int unaligned_int __attribute__((aligned(1)));
__attribute__((aligned(16))) char bytes[32];

static void one(void) {
    *(unaligned_int *)(bytes + 6) = 1;
}

static void other(void) {
    bytes[9] = 2;  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(one, other);
    return 0;
}
