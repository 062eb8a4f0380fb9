// CLEAN. "Exited threads do not count": the second warp ends without ever reaching a barrier.
//@ launch: exchange<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x < 32) {
        weak_store(&s[threadIdx.x], threadIdx.x);
        __syncthreads();
        out[threadIdx.x] = weak_load(&s[31 - threadIdx.x]);
    } else {
        out[threadIdx.x] = 1;
    }
}
