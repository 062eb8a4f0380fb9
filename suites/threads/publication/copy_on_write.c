// CLEAN. A writer publishes new versions of a table; readers read the version they got.
#include "../support.h"
#include <stdatomic.h>

enum { VERSIONS = 50, CELLS = 16 };
static int tables[VERSIONS][CELLS];
static _Atomic(int *) current;

static void writer(void) {
    for (int version = 1; version < VERSIONS; version++) {
        for (int i = 0; i < CELLS; i++) {
            tables[version][i] = version;
        }
        atomic_store_explicit(&current, tables[version], memory_order_release);
    }
}

static void reader(void) {
    int *seen;
    do {
        seen = atomic_load_explicit(&current, memory_order_acquire);
        CHECK(seen[0] == seen[CELLS - 1]);
        sched_yield();
    } while (seen != tables[VERSIONS - 1]);
}

int main(void) {
    atomic_init(&current, tables[0]);
    run_both(writer, reader);
    return 0;
}
