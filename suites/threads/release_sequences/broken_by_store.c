// RACY. A relaxed store of another thread ends the release sequence: who reads it has not acquired the first store.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flag;
int data;

static void writer(void) {
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
}

static void between(void) {
    while (atomic_load_explicit(&flag, memory_order_relaxed) != 1) {
        sched_yield();
    }
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
    reached(1);
}

static void reader(void) {
    await(1);
    CHECK(atomic_load_explicit(&flag, memory_order_acquire) == 2);
    use(data);  //~ race: data-race (with line 9)
}

int main(void) {
    pthread_t more = spawn(writer);
    run_both(between, reader);
    join(more);
    return 0;
}
