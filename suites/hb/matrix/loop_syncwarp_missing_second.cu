// RACY. The same loop within one warp: the second __syncwarp is missing.
//@ launch: rounds<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void rounds(unsigned* out) {
    __shared__ unsigned s[32];
    unsigned sum = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        weak_store(&s[threadIdx.x], round + threadIdx.x);
        __syncwarp();
        sum += weak_load(&s[threadIdx.x ^ 1]);  //~ race: warp-sync error (with line 10)
    }
    out[threadIdx.x] = sum;
}
