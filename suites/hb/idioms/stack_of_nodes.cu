// CLEAN. Nodes are pushed with a compare-and-swap that releases; the reader walks the list after an acquire.
//@ launch: push<<<4, 1>>>(head: u32[1], pushed: u32[1], next: u32[4], values: u32[4], out: u32[1])
#include "support/ptx.cuh"

__global__ void push(unsigned* head, unsigned* pushed, unsigned* next, unsigned* values, unsigned* out) {
    if (blockIdx.x > 0) {
        unsigned me = blockIdx.x, top = load_relaxed(head);
        values[me] = me * 10;
        while (true) {
            next[me] = top;
            __threadfence();
            unsigned seen = atomicCAS(head, top, me);
            if (seen == top) {
                break;
            }
            top = seen;
        }
        atomicAdd(pushed, 1u);
    } else {
        while (load_relaxed(pushed) != 3) {
        }
        unsigned sum = 0;
        for (unsigned node = load_acquire(head); node != 0; node = next[node]) {
            sum += values[node];
        }
        *out = sum;
    }
}
