// R3: a barrier of a part of the block counts only within each warp. The PTX memory model knows who took part.
//@ launch: warps<<<1, 96>>>(data: u32[64], out: u32[64])
#include "support.h"

__global__ void warps(unsigned* data, unsigned* out) {
    if (threadIdx.x < 64) {
        weak_store(data + threadIdx.x, 1);
        barrier_sync(1, 64);
        weak_store(out + threadIdx.x, weak_load(data + 63 - threadIdx.x));  //~ [iguard] race: missing-sync error (with line 7)
    }
    __syncthreads();  // Until then all three warps live.
}
