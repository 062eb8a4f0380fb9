// CLEAN. Two threads sort two halves of one array.
#include "../support.h"

enum { CELLS = 500 };
int cells[CELLS];

static int by_value(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

static void lower(void) {
    qsort(cells, CELLS / 2, sizeof(int), by_value);
}

static void upper(void) {
    qsort(cells + CELLS / 2, CELLS / 2, sizeof(int), by_value);
}

int main(void) {
    for (int i = 0; i < CELLS; i++) {
        cells[i] = i * 7919 % 1000;
    }
    run_both(lower, upper);
    CHECK(cells[0] <= cells[CELLS / 2 - 1] && cells[CELLS / 2] <= cells[CELLS - 1]);
    return 0;
}
