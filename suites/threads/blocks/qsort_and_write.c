// RACY. The comparison of a qsort reads an element that another thread writes.
#include "../support.h"

int cells[2] = {2, 1};

static int by_value(const void *a, const void *b) {
    return *(const int *)a < *(const int *)b;
}

static void sorter(void) {
    qsort(cells, 2, sizeof(int), by_value);
}

static void writer(void) {
    cells[1] = 0;  //~ race: data-race (with line 7)
}

int main(void) {
    run_both(sorter, writer);
    return 0;
}
