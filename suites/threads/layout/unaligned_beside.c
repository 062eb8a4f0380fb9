// CLEAN. An unaligned int ends where the other thread's byte begins.
#include "../support.h"

typedef int unaligned_int __attribute__((aligned(1)));
__attribute__((aligned(16))) char bytes[32];

static void one(void) {
    *(unaligned_int *)(bytes + 6) = 1;
}

static void other(void) {
    bytes[5] = 2;
    bytes[10] = 3;
}

int main(void) {
    run_both(one, other);
    CHECK(bytes[5] == 2 && bytes[6] == 1 && bytes[10] == 3);
    return 0;
}
