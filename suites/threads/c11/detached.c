// RACY. A detached C11 thread, and a flag that is relaxed.
//@ needs: c11-threads
#include "../support.h"
#include <stdatomic.h>
#include <threads.h>

static atomic_int done;
int data;

static int worker(void *unused) {
    (void)unused;
    data = 1;
    atomic_store_explicit(&done, 1, memory_order_relaxed);
    thrd_exit(0);
}

int main(void) {
    thrd_t thread;
    CHECK(thrd_create(&thread, worker, NULL) == thrd_success);
    thrd_detach(thread);
    while (!atomic_load_explicit(&done, memory_order_relaxed)) {
        thrd_yield();
    }
    use(data);  //~ race: data-race (with line 12)
    return 0;
}
