// CLEAN. A loop with a barrier behind the stores and one behind the reads.
//@ launch: rounds<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void rounds(unsigned* out) {
    __shared__ unsigned s[64];
    unsigned sum = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        weak_store(&s[threadIdx.x], round + threadIdx.x);
        __syncthreads();
        sum += weak_load(&s[threadIdx.x ^ 32]);
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}
