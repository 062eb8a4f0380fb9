// RACY. memcpy writes a buffer of which another thread reads the last byte.
#include "../support.h"

char source[256];
char target[256];
volatile size_t length = 200;

static void copier(void) {
    memcpy(target, source, length);
}

static void reader(void) {
    use(target[199]);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(copier, reader);
    return 0;
}
