// CLEAN. "bar.warp.sync among the lanes of its mask": a mask of the two lanes that are concerned.
//@ launch: hand_over<<<1, 32>>>(data: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        weak_store(data, 1);
        __syncwarp(1u << 3 | 1u << 7);
    } else if (threadIdx.x == 7) {
        __syncwarp(1u << 3 | 1u << 7);
        out[0] = weak_load(data);
    }
}
