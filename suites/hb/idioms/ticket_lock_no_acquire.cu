// RACY. The turn of a ticket lock is awaited with relaxed loads and no fence after them.
//@ launch: add<<<2, 1>>>(next: u32[1], serving: u32[1], total: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* next, unsigned* serving, unsigned* total) {
    unsigned ticket = atomicAdd(next, 1u);
    while (load_relaxed(serving) != ticket) {
    }
    *total = *total + blockIdx.x + 1;  //~ race: missing-fence (with itself)
    store_release(serving, ticket + 1);
}
