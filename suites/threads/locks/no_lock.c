// RACY. Two threads write one variable, and nothing orders them.
#include "../support.h"

int data;

static void one(void) {
    data = 1;
}

static void other(void) {
    data = 2;  //~ race: data-race (with line 7)
}

int main(void) {
    run_both(one, other);
    return 0;
}
