// CLEAN. Main returns while two threads still work, each on its own data.
#include "../support.h"

int cells[2][64];

static void work(int *mine) {
    for (unsigned i = 0;; i++) {
        mine[i % 16]++;
        if (i == 1000) {
            __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
        }
    }
}

static void one(void) {
    work(cells[0]);
}

static void other(void) {
    work(cells[1]);
}

int main(void) {
    spawn(one);
    spawn(other);
    await(2);
    return 0;
}
