// RACY. Between the two accesses to a byte, many threads read its seven neighbours in the same word.
#include "../support.h"

enum { READERS = 40 };
__attribute__((aligned(8))) char bytes[8];

static void writer(void) {
    bytes[0] = 1;
    reached(1);
}

static void neighbour(void) {
    for (int i = 1; i < 8; i++) {
        use(bytes[i]);
    }
}

static void late(void) {
    await(2);
    use(bytes[0]);  //~ race: data-race (with line 8)
}

int main(void) {
    pthread_t first = spawn(writer);
    pthread_t last = spawn(late);
    await(1);
    for (int i = 0; i < READERS; i++) {
        join(spawn(neighbour));
    }
    reached(2);
    join(first);
    join(last);
    return 0;
}
