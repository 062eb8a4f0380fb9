// CLEAN. A ticket lock: an atomic addition draws a number, an acquire load waits for its turn, a release store calls the next.
//@ launch: add<<<4, 1>>>(next: u32[1], serving: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (load_acquire(serving) != ticket) {
    }
    *total = *total + blockIdx.x + 1;
    store_release(serving, ticket + 1);
}
