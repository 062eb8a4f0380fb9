// RACY. Two threads run the same line without a lock: it races with itself.
#include "../support.h"

int counter;

static void count(void) {
    counter++;  //~ race: data-race (with itself)
}

int main(void) {
    run_both(count, count);
    return 0;
}
