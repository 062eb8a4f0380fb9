// CLEAN. Atomics before a barrier, weak loads behind it.
//@ launch: count<<<1, 64>>>(counter: u32[1], out: u32[64])
#include "../support.h"

__global__ void count(unsigned* counter, unsigned* out) {
    atomicAdd(counter, 1);
    __syncthreads();
    out[threadIdx.x] = weak_load(counter);
}
