// CLEAN. Another thread of the block drew the ticket, with a fence before and behind it, and barriers around.
//@ launch: reduce<<<40, 64>>>(parts: u32[40], ticket: u32[1], total: u32[1])
#include "../support.h"

__global__ void reduce(unsigned* parts, unsigned* ticket, unsigned* total) {
    __shared__ bool is_last;
    if (threadIdx.x == 33) {
        weak_store(&parts[blockIdx.x], blockIdx.x);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(ticket, 1u) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (is_last && threadIdx.x < gridDim.x) {
        atomicAdd(total, weak_load(&parts[threadIdx.x]));
    }
}
