// RACY. Double-checked locking with a relaxed first look.
#include "../support.h"
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) instance;
int cell;

static int *get(void) {
    int *seen = atomic_load_explicit(&instance, memory_order_relaxed);
    if (seen == NULL) {
        pthread_mutex_lock(&lock);
        seen = &cell;
        cell = 42;
        atomic_store_explicit(&instance, seen, memory_order_release);
        pthread_mutex_unlock(&lock);
    }
    return seen;
}

static void first(void) {
    get();
    reached(1);
}

static void second(void) {
    await(1);
    int *seen = get();
    use(*seen);  //~ race: data-race (with line 14)
}

int main(void) {
    run_both(first, second);
    return 0;
}
