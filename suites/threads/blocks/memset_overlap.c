// RACY. Two memsets overlap in one byte.
#include "../support.h"

char bytes[300];
volatile size_t length = 150;

static void lower(void) {
    memset(bytes, 1, length);
}

static void upper(void) {
    memset(bytes + 149, 2, length);  //~ race: data-race (with line 8)
}

int main(void) {
    run_both(lower, upper);
    return 0;
}
