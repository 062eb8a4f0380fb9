// RACY. One thread writes eight bytes, another one the upper four of them.
#include "../support.h"

union word {
    long whole;
    int halves[2];
};

union word word;

static void one(void) {
    word.whole = 1;
}

static void other(void) {
    word.halves[1] = 2;  //~ race: data-race (with line 12)
}

int main(void) {
    run_both(one, other);
    return 0;
}
