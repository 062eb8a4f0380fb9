// CLEAN. P5: a barrier of all threads that have not ended is one of the block.
//@ launch: exchange<<<1, 128>>>(data: u32[128], out: u32[128])
#include "support.h"

__global__ void exchange(unsigned* data, unsigned* out) {
    if (threadIdx.x >= 80) {
        return;
    }
    weak_store(data + threadIdx.x, threadIdx.x);
    __syncthreads();
    weak_store(out + threadIdx.x, weak_load(data + 79 - threadIdx.x));
}
