// CLEAN. Two reads do not race, whatever their kinds.
#include "../support.h"

int data = 42;

static void plain(void) {
    CHECK(data == 42);
}

static void atomic(void) {
    CHECK(__atomic_load_n(&data, __ATOMIC_RELAXED) == 42);
}

int main(void) {
    run_both(plain, atomic);
    return 0;
}
