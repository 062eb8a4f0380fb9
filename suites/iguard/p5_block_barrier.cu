// CLEAN. P5: the same block, after a block barrier.
//@ launch: reverse<<<2, 128>>>(data: u32[256])
#include "support.h"

__global__ void reverse(unsigned* data) {
    unsigned* part = data + blockIdx.x * 128;
    weak_store(part + threadIdx.x, threadIdx.x);
    __syncthreads();
    unsigned other = weak_load(part + 127 - threadIdx.x);
    __syncthreads();
    weak_store(part + threadIdx.x, other);
}
