// CLEAN. A bit field of width zero begins a new memory location.
#include "../support.h"

struct flags {
    unsigned a : 3;
    unsigned : 0;
    unsigned b : 5;
};

struct flags flags;

static void one(void) {
    flags.a = 1;
}

static void other(void) {
    flags.b = 2;
}

int main(void) {
    run_both(one, other);
    CHECK(flags.a == 1 && flags.b == 2);
    return 0;
}
