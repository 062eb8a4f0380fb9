// CLEAN. Two warps store the same value, one after the other.
//@ launch: mark<<<1, 64>>>(flag: u32[1])
#include "../support.h"

__global__ void mark(unsigned* flag) {
    if (threadIdx.x == 0) {
        weak_store(flag, 1);
    }
    __syncthreads();
    if (threadIdx.x == 32) {
        weak_store(flag, 1);
    }
}
