// CLEAN. A char beside a bit field is a memory location of its own.
#include "../support.h"

struct flags {
    unsigned a : 8;
    char b;
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
