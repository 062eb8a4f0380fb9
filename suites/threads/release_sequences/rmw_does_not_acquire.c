// RACY. The thread that continues a sequence by a relaxed read-modify-write has itself acquired nothing.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flag;
int data;

static void writer(void) {
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    reached(1);
}

static void between(void) {
    await(1);
    CHECK(atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed) == 1);
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    run_both(writer, between);
    return 0;
}
