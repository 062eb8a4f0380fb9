// CLEAN. barrier.sync without .aligned may be reached by the lanes of a warp at different places.
//@ launch: wait<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void wait(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    if (threadIdx.x < 16) {
        barrier_sync(1, 32);
    } else {
        weak_store(&out[threadIdx.x], 3);
        barrier_sync(1, 32);
    }
    out[threadIdx.x] = weak_load(&s[31 - threadIdx.x]);
}
