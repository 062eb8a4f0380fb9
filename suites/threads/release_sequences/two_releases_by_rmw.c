// CLEAN. Two threads release by read-modify-writes: who reads the second has acquired both.
#include "../support.h"
#include <stdatomic.h>

static atomic_int count;
int data[2];

static void one(void) {
    data[0] = 1;
    atomic_fetch_add_explicit(&count, 1, memory_order_release);
}

static void other(void) {
    data[1] = 1;
    atomic_fetch_add_explicit(&count, 1, memory_order_release);
}

static void reader(void) {
    while (atomic_load_explicit(&count, memory_order_acquire) != 2) {
        sched_yield();
    }
    CHECK(data[0] + data[1] == 2);
}

int main(void) {
    pthread_t more = spawn(one);
    run_both(other, reader);
    join(more);
    return 0;
}
