// CLEAN. Workers take tasks by a relaxed counter: the counter gives each index to one thread, and that is enough.
#include "../support.h"
#include <stdatomic.h>

enum { TASKS = 500 };
static int results[TASKS];
static atomic_int next_task;

static void worker(void) {
    int task;
    while ((task = atomic_fetch_add_explicit(&next_task, 1, memory_order_relaxed)) < TASKS) {
        results[task] = task * task;
    }
}

int main(void) {
    run_both(worker, worker);
    for (int i = 0; i < TASKS; i++) {
        CHECK(results[i] == i * i);
    }
    return 0;
}
