// RACY. A barrier of all blocks by hand, without __syncthreads after the wait: the other threads of the block do not wait.
//@ launch: steps<<<2, 64>>>(arrived: u32[1], first: u32[128], second: u32[128])
#include "support/ptx.cuh"

__global__ void steps(unsigned* arrived, unsigned* first, unsigned* second) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    first[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (load_relaxed(arrived) != gridDim.x) {
        }
        __threadfence();
    }
    second[i] = first[127 - i];  //~ race: missing-sync (with line 7)
}
