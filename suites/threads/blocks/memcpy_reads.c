// RACY. memcpy reads a buffer of which another thread writes one byte.
#include "../support.h"

char source[256];
char target[256];
volatile size_t length = 200;

static void copier(void) {
    memcpy(target, source, length);
}

static void writer(void) {
    source[150] = 1;  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(copier, writer);
    return 0;
}
