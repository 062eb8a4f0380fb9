// RACY. The program writes a variable of a library in two threads.
//@ plugin: libraries/parts/counter.c
#include "../support.h"
#include "open_plugin.h"

static int *counter;

static void one(void) {
    *counter = 1;
}

static void other(void) {
    *counter = 2;  //~ race: data-race (with line 9)
}

int main(void) {
    counter = (int *)dlsym(open_plugin("counter.so"), "counter");
    CHECK(counter != NULL);
    run_both(one, other);
    return 0;
}
