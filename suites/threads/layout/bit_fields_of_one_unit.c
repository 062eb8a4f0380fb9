// RACY. Neighbouring bit fields are one memory location.
#include "../support.h"

struct flags {
    unsigned a : 3;
    unsigned b : 5;
};

struct flags flags;

static void one(void) {
    flags.a = 1;
}

static void other(void) {
    flags.b = 2;  //~ race: data-race (with line 12)
}

int main(void) {
    run_both(one, other);
    return 0;
}
