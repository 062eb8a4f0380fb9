// CLEAN. One thread unmaps, another one maps at the same address: the new memory has no history.
#include "../support.h"
#include <sys/mman.h>

enum { BYTES = 1 << 16 };
static char *place;

static void first(void) {
    memset(place, 1, BYTES);
    place[5] = 2;
    CHECK(munmap(place, BYTES) == 0);
    reached(1);
}

static void second(void) {
    char *where = place;
    await(1);
    CHECK(mmap(where, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == where);
    CHECK(where[5] == 0);
    where[5] = 3;
}

int main(void) {
    place = (char *)mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(place != MAP_FAILED);
    run_both(first, second);
    return 0;
}
