// RACY. The first thread goes through very many epochs after its access: its clock must not wrap.
#include "../support.h"
#include <stdatomic.h>

static atomic_int beat;
int data;

static void first(void) {
    data = 1;
    for (int i = 0; i < 300000; i++) {
        atomic_fetch_add_explicit(&beat, 1, memory_order_release);
    }
    reached(1);
}

static void second(void) {
    await(1);
    data = 2;  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(first, second);
    return 0;
}
