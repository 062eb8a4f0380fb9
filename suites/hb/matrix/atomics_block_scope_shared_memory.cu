// CLEAN. Block-scope atomics on shared memory.
//@ launch: count<<<2, 64>>>(out: u32[2])
#include "../support.h"

__global__ void count(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        weak_store(&counter, 0);
    }
    __syncthreads();
    atom_add(relaxed, cta, &counter, 1);
    __syncthreads();
    if (threadIdx.x == 63) {
        out[blockIdx.x] = weak_load(&counter);
    }
}
