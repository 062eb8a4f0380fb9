// CLEAN. "bar.warp.sync among the lanes of its mask": lanes meet at different instructions with the same mask.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[16];
    if (threadIdx.x < 16) {
        weak_store(&s[threadIdx.x], threadIdx.x);
        __syncwarp();
    } else {
        __syncwarp();
        out[threadIdx.x] = weak_load(&s[threadIdx.x - 16]);
    }
}
