// RACY. "A ticket that was observed anywhere on the path": another thread of the block drew it, before a barrier.
//@ launch: reduce<<<40, 64>>>(parts: u32[40], ticket: u32[1], total: u32[1])
#include "../support.h"

__global__ void reduce(unsigned* parts, unsigned* ticket, unsigned* total) {
    __shared__ bool is_last;
    if (threadIdx.x == 33) {
        weak_store(&parts[blockIdx.x], blockIdx.x);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x) {
        atomicAdd(total, weak_load(&parts[threadIdx.x]));  //~ race: missing-fence error (with line 8)
    }
}
