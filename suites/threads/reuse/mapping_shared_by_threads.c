// RACY. Two threads write one cell of a mapping.
#include "../support.h"
#include <sys/mman.h>

static int *cells;

static void one(void) {
    cells[100] = 1;
}

static void other(void) {
    cells[100] = 2;  //~ race: data-race (with line 8)
}

int main(void) {
    cells = (int *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(cells != MAP_FAILED);
    run_both(one, other);
    munmap(cells, 4096);
    return 0;
}
