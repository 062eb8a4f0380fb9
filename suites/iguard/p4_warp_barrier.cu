// CLEAN. P4: the same warp, after a warp barrier, whatever the lanes did in between.
//@ launch: exchange<<<1, 32>>>(data: u32[32], out: u32[32])
#include "support.h"

__global__ void exchange(unsigned* data, unsigned* out) {
    if (threadIdx.x < 16) {
        weak_store(data + threadIdx.x, threadIdx.x);
    }
    __syncwarp();
    if (threadIdx.x >= 16) {
        out[threadIdx.x] = weak_load(data + threadIdx.x - 16);
    }
}
