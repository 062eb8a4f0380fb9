// CLEAN. The same loop within one warp, with both barriers.
//@ launch: rounds<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void rounds(unsigned* out) {
    __shared__ unsigned s[32];
    unsigned sum = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        weak_store(&s[threadIdx.x], round + threadIdx.x);
        __syncwarp();
        sum += weak_load(&s[threadIdx.x ^ 1]);
        __syncwarp();
    }
    out[threadIdx.x] = sum;
}
