// CLEAN. Tiles that synchronise by themselves, and exchange within themselves.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    unsigned tile = 0xffu << (threadIdx.x & 24);
    weak_store(&s[threadIdx.x], threadIdx.x);
    __syncwarp();
    for (unsigned distance = 4; distance < 5; ++distance) {
        __syncwarp(tile);
        unsigned other = weak_load(&s[threadIdx.x ^ distance]);
        __syncwarp(tile);
        weak_store(&s[threadIdx.x], other + 1);
    }
    out[threadIdx.x] = weak_load(&s[threadIdx.x]);
}
