// RACY. Two seq_cst fences without a value that goes from one thread to the other.
#include "../support.h"
#include <stdatomic.h>

static atomic_int one_flag;
static atomic_int other_flag;
int data;

static void writer(void) {
    data = 42;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_store_explicit(&one_flag, 1, memory_order_relaxed);
}

static void reader(void) {
    use(atomic_load_explicit(&other_flag, memory_order_relaxed));
    atomic_thread_fence(memory_order_seq_cst);
    use(data);  //~ race: data-race (with line 10)
}

int main(void) {
    run_both(writer, reader);
    return 0;
}
