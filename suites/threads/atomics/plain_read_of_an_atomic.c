// RACY. One side is atomic and the other is not.
#include "../support.h"

int counter;

static void adder(void) {
    __atomic_fetch_add(&counter, 1, __ATOMIC_SEQ_CST);
}

static void peeker(void) {
    use(counter);  //~ race: data-race (with line 7)
}

int main(void) {
    run_both(adder, peeker);
    return 0;
}
