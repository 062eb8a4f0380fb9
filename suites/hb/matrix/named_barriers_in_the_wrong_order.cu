// RACY. Warp 1 meets warp 2 first and warp 0 afterwards: no way leads from warp 0 to warp 2.
//@ launch: relay<<<1, 96>>>(out: u32[32])
#include "../support.h"

__global__ void relay(unsigned* out) {
    __shared__ unsigned s[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    if (warp == 0) {
        weak_store(&s[lane], lane);
        barrier_sync(1, 64);
    } else if (warp == 1) {
        barrier_sync(2, 64);
        barrier_sync(1, 64);
    } else {
        barrier_sync(2, 64);
        out[lane] = weak_load(&s[lane]);  //~ race: missing-sync error (with line 9)
    }
}
