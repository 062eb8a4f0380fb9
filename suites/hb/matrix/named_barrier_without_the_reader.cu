// RACY. "Barriers among their participants": the third warp takes no part in the barrier.
//@ launch: exchange<<<1, 96>>>(out: u32[96])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    if (threadIdx.x < 64) {
        weak_store(&s[threadIdx.x], threadIdx.x);
        barrier_sync(1, 64);
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 32]);
    } else {
        out[threadIdx.x] = weak_load(&s[threadIdx.x - 64]);  //~ race: missing-sync error (with line 8)
    }
}
