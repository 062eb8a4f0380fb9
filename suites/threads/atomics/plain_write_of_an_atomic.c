// RACY. A plain write resets a counter that another thread reads atomically.
#include "../support.h"

int counter;

static void resetter(void) {
    counter = 0;
}

static void reader(void) {
    use(__atomic_load_n(&counter, __ATOMIC_ACQUIRE));  //~ race: data-race (with line 7)
}

int main(void) {
    run_both(resetter, reader);
    return 0;
}
