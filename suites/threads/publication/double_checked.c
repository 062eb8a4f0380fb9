// CLEAN. Double-checked locking with an acquire load and a release store.
#include "../support.h"
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) instance;
static int cell;

static int *get(void) {
    int *seen = atomic_load_explicit(&instance, memory_order_acquire);
    if (seen == NULL) {
        pthread_mutex_lock(&lock);
        seen = atomic_load_explicit(&instance, memory_order_relaxed);
        if (seen == NULL) {
            cell = 42;
            seen = &cell;
            atomic_store_explicit(&instance, seen, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return seen;
}

static void user(void) {
    for (int i = 0; i < 10; i++) {
        CHECK(*get() == 42);
    }
}

int main(void) {
    run_both(user, user);
    return 0;
}
