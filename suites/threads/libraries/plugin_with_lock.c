// CLEAN. Two threads call a library that dlopen brought, which locks.
//@ plugin: libraries/parts/counter.c
#include "../support.h"
#include "open_plugin.h"

static void (*count)(void);

int main(void) {
    void *plugin = open_plugin("counter.so");
    count = (void (*)(void))dlsym(plugin, "count_with_lock");
    CHECK(count != NULL);
    run_both(count, count);
    dlclose(plugin);
    return 0;
}
