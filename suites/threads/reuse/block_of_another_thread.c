// CLEAN. Blocks go from free in one thread to malloc in another: the allocator orders the two.
#include "../support.h"
#include <malloc.h>

enum { ROUNDS = 50, BLOCKS = 64, BYTES = 3000 };
static int turn;

static void use_blocks(int self) {
    for (int round = self; round < ROUNDS; round += 2) {
        char *blocks[BLOCKS];
        while (__atomic_load_n(&turn, __ATOMIC_RELAXED) != round) {
            sched_yield();
        }
        for (int i = 0; i < BLOCKS; i++) {
            blocks[i] = (char *)malloc(BYTES);
            memset(blocks[i], round, BYTES);
        }
        for (int i = 0; i < BLOCKS; i++) {
            CHECK(blocks[i][BYTES - 1] == round);
            free(blocks[i]);
        }
        __atomic_store_n(&turn, round + 1, __ATOMIC_RELAXED);
    }
}

static void one(void) {
    use_blocks(0);
}

static void other(void) {
    use_blocks(1);
}

int main(void) {
    mallopt(M_ARENA_MAX, 1);
    run_both(one, other);
    return 0;
}
