// CLEAN. A queue lock (MCS): each waits on a word of its own, which the owner before it sets with release.
//@ launch: add<<<4, 1>>>(tail: u32[1], next: u32[5], ready: u32[5], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* tail, unsigned* next, unsigned* ready, unsigned* total) {
    unsigned me = blockIdx.x + 1;
    unsigned before = atomicExch(tail, me);
    if (before != 0) {
        store_relaxed(next + before, me);
        while (load_acquire(ready + me) == 0) {
        }
    }
    // For a lock that was free: the exchange observed the owner before, who left by a compare-and-swap.
    __threadfence();
    *total = *total + me;
    __threadfence();
    if (atomicCAS(tail, me, 0u) != me) {
        unsigned after = load_relaxed(next + me);
        while (after == 0) {
            after = load_relaxed(next + me);
        }
        store_release(ready + after, 1);
    }
}
