// RACY. Two writers of a seqlock that take no lock among themselves keep plain statistics.
#include "../support.h"
#include <stdatomic.h>

static atomic_uint sequence;
static atomic_int data;
int writes;

static void writer(void) {
    atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
    atomic_store_explicit(&data, 1, memory_order_relaxed);
    writes++;  //~ race: data-race (with itself)
    atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
}

int main(void) {
    run_both(writer, writer);
    return 0;
}
