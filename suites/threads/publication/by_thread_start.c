// CLEAN. A structure is filled before the threads that read it are made.
#include "../support.h"

static int *table;

static void reader(void) {
    for (int i = 0; i < 100; i++) {
        CHECK(table[i] == i);
    }
}

int main(void) {
    table = (int *)malloc(100 * sizeof *table);
    for (int i = 0; i < 100; i++) {
        table[i] = i;
    }
    run_both(reader, reader);
    free(table);
    return 0;
}
