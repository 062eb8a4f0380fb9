// RACY. A barrier of all blocks by hand, without the fence before the arrival.
//@ launch: steps<<<2, 64>>>(arrived: u32[1], first: u32[128], second: u32[128])
#include "support/ptx.cuh"

__global__ void steps(unsigned* arrived, unsigned* first, unsigned* second) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    first[i] = i;
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(arrived, 1u);
        while (load_relaxed(arrived) != gridDim.x) {
        }
        __threadfence();
    }
    __syncthreads();
    second[i] = first[127 - i];  //~ race: missing-fence (with line 7)
}
