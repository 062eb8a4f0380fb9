// CLEAN. Two threads write even and odd elements of one array of bytes.
#include "../support.h"

enum { CELLS = 4096 };
char cells[CELLS];

static void even(void) {
    for (int i = 0; i < CELLS; i += 2) {
        cells[i] = 1;
    }
}

static void odd(void) {
    for (int i = 1; i < CELLS; i += 2) {
        cells[i] = 2;
    }
}

int main(void) {
    run_both(even, odd);
    CHECK(cells[0] == 1 && cells[CELLS - 1] == 2);
    return 0;
}
