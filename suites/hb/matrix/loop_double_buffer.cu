// CLEAN. One barrier in each round is enough for two buffers in turn.
//@ launch: rounds<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void rounds(unsigned* out) {
    __shared__ unsigned s[2][64];
    unsigned sum = 0;
#pragma unroll 1
    for (int round = 0; round < 5; round++) {
        weak_store(&s[round % 2][threadIdx.x], round + threadIdx.x);
        __syncthreads();
        sum += weak_load(&s[round % 2][threadIdx.x ^ 32]);
    }
    out[threadIdx.x] = sum;
}
