// RACY. "Barriers among their participants": a warp that stores and leaves takes no part in the barrier.
//@ launch: exchange<<<1, 64>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x >= 32) {
        weak_store(&s[threadIdx.x - 32], threadIdx.x);
        return;
    }
    __syncthreads();
    out[threadIdx.x] = weak_load(&s[threadIdx.x]);  //~ race: missing-sync error (with line 8)
}
