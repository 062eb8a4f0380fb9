// RACY. "bar.warp.sync among the lanes of its mask": the writer is not in the mask.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s;
    if (threadIdx.x == 31) {
        weak_store(&s, 1);
    } else {
        __syncwarp(0x7fffffff);
        out[threadIdx.x] = weak_load(&s);  //~ race: divergence error (with line 8)
    }
}
