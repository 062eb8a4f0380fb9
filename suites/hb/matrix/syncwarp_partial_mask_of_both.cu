// CLEAN. "bar.warp.sync among the lanes of its mask": half a warp exchanges within itself.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x < 16) {
        weak_store(&s[threadIdx.x], threadIdx.x);
        __syncwarp(0x0000ffff);
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 1]);
    }
}
