// CLEAN. A library is closed and opened again: its variables are new ones at the same addresses.
//@ plugin: libraries/parts/counter.c
#include "../support.h"
#include "open_plugin.h"

static void use_once(void) {
    void *plugin = open_plugin("counter.so");
    void (*count)(void) = (void (*)(void))dlsym(plugin, "count_with_lock");
    count();
    dlclose(plugin);
    __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
}

static void first(void) {
    use_once();
}

static void second(void) {
    await(1);
    use_once();
}

int main(void) {
    run_both(first, second);
    return 0;
}
