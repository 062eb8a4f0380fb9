// RACY. "bar.warp.sync among the lanes of its mask": each half waits for itself and reads from the other.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    if (threadIdx.x < 16) {
        __syncwarp(0x0000ffff);
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 16]);  //~ race: warp-sync error (with line 7)
    } else {
        __syncwarp(0xffff0000);
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 16]);  //~ race: warp-sync error (with line 7)
    }
}
