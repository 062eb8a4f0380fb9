// RACY. A million accesses to other memory lie between the two that race.
#include "../support.h"

enum { CELLS = 1 << 16 };
int data;
volatile int cells[CELLS];

static void first(void) {
    data = 1;
    for (int i = 0; i < 1000000; i++) {
        cells[i % CELLS] = i;
    }
    reached(1);
}

static void second(void) {
    await(1);
    data = 2;  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(first, second);
    return 0;
}
