// CLEAN. Rows of 8 threads: four of them are one warp, and __syncwarp orders them.
//@ launch: rows<<<1, (8, 4)>>>(out: u32[32])
#include "../support.h"

__global__ void rows(unsigned* out) {
    __shared__ unsigned s[4][8];
    weak_store(&s[threadIdx.y][threadIdx.x], threadIdx.x);
    __syncwarp();
    out[threadIdx.y * 8 + threadIdx.x] = weak_load(&s[3 - threadIdx.y][threadIdx.x]);
}
