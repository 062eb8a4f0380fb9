// CLEAN. memcpy ends one byte before the byte of the other thread.
#include "../support.h"

char source[256];
char target[256];
volatile size_t length = 199;

static void copier(void) {
    memcpy(target + 1, source, length);
}

static void neighbour(void) {
    target[0] = 1;
    target[200] = 2;
}

int main(void) {
    run_both(copier, neighbour);
    CHECK(target[0] == 1 && target[200] == 2);
    return 0;
}
