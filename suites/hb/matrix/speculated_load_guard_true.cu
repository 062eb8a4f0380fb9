// RACY. A load counts where its guard is true, speculated or not.
//@ launch: scan<<<1, 64>>>(data: u32[64] = iota, out: u32[64])
#include "../support.h"

__global__ void scan(unsigned* data, unsigned* out) {
    unsigned left = 0;
    if (threadIdx.x >= 32) {
        left = data[threadIdx.x - 32];
    }
    out[threadIdx.x] = left;
    if (threadIdx.x < 32) {
        weak_store(&data[threadIdx.x], 1);  //~ race: missing-sync error (with line 8)
    }
}
