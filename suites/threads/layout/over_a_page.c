// RACY. An unaligned long lies on two pages, and its last byte races.
#include "../support.h"

typedef long unaligned_long __attribute__((aligned(1)));
__attribute__((aligned(4096))) char bytes[8192];

static void one(void) {
    *(unaligned_long *)(bytes + 4096 - 3) = 1;
}

static void other(void) {
    use(bytes[4096 + 4]);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(one, other);
    return 0;
}
