// RACY. The next ticket is called by a relaxed store without a fence before it.
//@ launch: add<<<2, 1>>>(next: u32[1], serving: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (load_acquire(serving) != ticket) {
    }
    *total = *total + blockIdx.x + 1;  //~ race: missing-fence (with itself)
    store_relaxed(serving, ticket + 1);
}
