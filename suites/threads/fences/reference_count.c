// CLEAN. A reference count goes down with release; who takes it to zero has an acquire fence before it frees.
#include "../support.h"
#include <stdatomic.h>

struct object {
    atomic_int references;
    int cells[4];
};

static struct object *shared;
static atomic_int next_self;

static void user(void) {
    int self = atomic_fetch_add_explicit(&next_self, 1, memory_order_relaxed);
    shared->cells[self] = self;
    if (atomic_fetch_sub_explicit(&shared->references, 1, memory_order_release) == 1) {
        atomic_thread_fence(memory_order_acquire);
        for (int i = 0; i < 4; i++) {
            CHECK(shared->cells[i] == i);
        }
        free(shared);
    }
}

int main(void) {
    pthread_t threads[4];
    shared = (struct object *)malloc(sizeof *shared);
    atomic_init(&shared->references, 4);
    for (int i = 0; i < 4; i++) {
        threads[i] = spawn(user);
    }
    for (int i = 0; i < 4; i++) {
        join(threads[i]);
    }
    return 0;
}
