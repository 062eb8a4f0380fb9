// CLEAN. P4: a barrier of a part of the block is a warp barrier for the warps that take part.
//@ launch: warps<<<1, 96>>>(data: u32[64], out: u32[64])
#include "support.h"

__global__ void warps(unsigned* data, unsigned* out) {
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 64) {
        if (lane < 16) {
            weak_store(data + threadIdx.x, 1);
        }
        barrier_sync(1, 64);
        if (lane >= 16) {
            weak_store(out + threadIdx.x, weak_load(data + threadIdx.x - 16));
        }
    }
    __syncthreads();  // Until then all three warps live.
}
