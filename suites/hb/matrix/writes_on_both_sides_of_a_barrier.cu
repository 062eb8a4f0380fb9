// CLEAN. Two warps write one word before and after a barrier.
//@ launch: overwrite<<<1, 64>>>(data: u32[32])
#include "../support.h"

__global__ void overwrite(unsigned* data) {
    if (threadIdx.x < 32) {
        weak_store(&data[threadIdx.x], 1);
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        weak_store(&data[threadIdx.x - 32], 2);
    }
}
