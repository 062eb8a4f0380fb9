// RACY. A loop with one barrier: the next round's store meets this round's reads.
//@ launch: rounds<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void rounds(unsigned* out) {
    __shared__ unsigned s[64];
    unsigned sum = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        weak_store(&s[threadIdx.x], round + threadIdx.x);
        __syncthreads();
        sum += weak_load(&s[threadIdx.x ^ 32]);  //~ race: missing-sync error (with line 10)
    }
    out[threadIdx.x] = sum;
}
