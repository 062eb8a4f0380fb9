// RACY. "A block barrier that some live threads never reach": two warps wait at different barriers for all.
//@ launch: wait<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void wait(unsigned* out) {
    if (threadIdx.x < 32) {
        barrier_sync(1, 64);
    } else {
        barrier_sync(2, 64);  //~ race: barrier-divergence error (with line 7)
    }
    out[threadIdx.x] = 1;
}
