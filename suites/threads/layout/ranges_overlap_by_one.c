// RACY. Two threads fill two halves of an array, and the element in the middle belongs to both.
#include "../support.h"

enum { CELLS = 1000 };
int cells[CELLS];

static void lower(void) {
    for (int i = 0; i <= CELLS / 2; i++) {
        cells[i] = i;
    }
}

static void upper(void) {
    for (int i = CELLS / 2; i < CELLS; i++) {
        cells[i] = -i;  //~ race: data-race (with line 9)
    }
}

int main(void) {
    run_both(lower, upper);
    return 0;
}
