// RACY. The counter is read and written in two steps: two threads get the same slot.
#include "../support.h"
#include <stdatomic.h>

static int results[4];
static atomic_int next_task;

static void worker(void) {
    int task = atomic_load(&next_task);
    __atomic_fetch_add(&stage_of_program, 1, __ATOMIC_RELAXED);
    await(2);
    results[task] = 1;  //~ race: data-race (with itself)
    atomic_store(&next_task, task + 1);
}

int main(void) {
    run_both(worker, worker);
    use(results[0]);
    return 0;
}
