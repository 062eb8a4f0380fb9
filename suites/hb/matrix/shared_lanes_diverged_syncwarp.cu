// CLEAN. "bar.warp.sync among the lanes of its mask": the lanes that stored and the lanes that read meet there.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[16];
    if (threadIdx.x < 16) {
        weak_store(&s[threadIdx.x], threadIdx.x);
    }
    __syncwarp();
    if (threadIdx.x >= 16) {
        out[threadIdx.x] = weak_load(&s[threadIdx.x - 16]);
    }
}
