// RACY. memmove shifts an array that another thread reads.
#include "../support.h"

int cells[64];
volatile size_t length = 60 * sizeof(int);

static void shifter(void) {
    memmove(cells + 1, cells, length);
}

static void reader(void) {
    use(cells[30]);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(shifter, reader);
    return 0;
}
