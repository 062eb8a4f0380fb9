// RACY. A barrier of all blocks by hand with fences of block scope.
//@ launch: steps<<<2, 64>>>(arrived: u32[1], first: u32[128], second: u32[128])
#include "support/ptx.cuh"

__global__ void steps(unsigned* arrived, unsigned* first, unsigned* second) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    first[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_block();
        atomicAdd(arrived, 1u);
        while (load_relaxed(arrived) != gridDim.x) {
        }
        __threadfence_block();
    }
    __syncthreads();
    second[i] = first[127 - i];  //~ race: scope (with line 7)
}
