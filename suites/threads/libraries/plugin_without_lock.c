// RACY. Two threads call a library that dlopen brought, and it takes no lock: the race is in the library's file.
//@ plugin: libraries/parts/careless_counter.c
#include "../support.h"
#include "open_plugin.h"

static void (*count)(void);

int main(void) {
    count = (void (*)(void))dlsym(open_plugin("careless_counter.so"), "count");
    CHECK(count != NULL);
    run_both(count, count);
    return 0;
}
