// RACY. "Where the only branch is uniform, lanes that synchronise in parts are warp-sync, not divergence": the tiles go on by themselves.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    unsigned tile = 0xffu << (threadIdx.x & 24);
    weak_store(&s[threadIdx.x], threadIdx.x);
    __syncwarp();
    for (unsigned distance = 16; distance < 17; ++distance) {
        __syncwarp(tile);
        unsigned other = weak_load(&s[threadIdx.x ^ distance]);
        __syncwarp(tile);
        weak_store(&s[threadIdx.x], other + 1);  //~ race: warp-sync error (with line 12)
    }
    out[threadIdx.x] = weak_load(&s[threadIdx.x]);
}
