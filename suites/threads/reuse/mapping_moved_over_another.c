// CLEAN. mremap puts a thread's own mapping over one that another thread wrote: that memory is gone.
#include "../support.h"
#include <sys/mman.h>

enum { BYTES = 1 << 16 };
static char *place;

static char *map(void) {
    char *mapped = (char *)mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapped != MAP_FAILED);
    return mapped;
}

static void first(void) {
    place[5] = 2;
    reached(1);
}

static void second(void) {
    char *where = place;
    char *mine = map();
    mine[5] = 7;
    await(1);
    CHECK(mremap(mine, BYTES, BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, where) == where);
    CHECK(where[5] == 7);
    where[5] = 3;
}

int main(void) {
    place = map();
    run_both(first, second);
    return 0;
}
