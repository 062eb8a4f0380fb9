// RACY. A barrier of all blocks by hand, without __syncthreads before the arrival: one thread arrives for others that it did
// not wait for.
//@ launch: steps<<<2, 64>>>(arrived: u32[1], first: u32[128], second: u32[128])
#include "support/ptx.cuh"

__global__ void steps(unsigned* arrived, unsigned* first, unsigned* second) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    first[i] = i;
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1u);
        while (load_relaxed(arrived) != gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    second[i] = first[127 - i];  //~ race: missing-sync (with line 8)
}
