// CLEAN. Relaxed loads of three flags, and one acquire fence for all of them.
#include "../support.h"
#include <stdatomic.h>

static atomic_int flags[3];
static atomic_int next_self;
int data[3];

static void writer(void) {
    int self = atomic_fetch_add_explicit(&next_self, 1, memory_order_relaxed);
    data[self] = self + 1;
    atomic_store_explicit(&flags[self], 1, memory_order_release);
}

int main(void) {
    pthread_t threads[3] = {spawn(writer), spawn(writer), spawn(writer)};
    for (int i = 0; i < 3; i++) {
        while (!atomic_load_explicit(&flags[i], memory_order_relaxed)) {
            sched_yield();
        }
    }
    atomic_thread_fence(memory_order_acquire);
    CHECK(data[0] + data[1] + data[2] == 6);
    data[0] = 7;
    for (int i = 0; i < 3; i++) {
        join(threads[i]);
    }
    return 0;
}
