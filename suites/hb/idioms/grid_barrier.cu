// CLEAN. A barrier of all blocks by hand: it works because of the chain of read-modify-writes and the cumulativity of bar.sync.
//@ launch: steps<<<3, 64>>>(arrived: u32[1], first: u32[192], second: u32[192])
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
    __syncthreads();
    second[i] = first[191 - i];
}
