// RACY. The same loop with one barrier in each round: the next store meets the neighbour's read.
//@ launch: exchange<<<4, 32, cluster=4>>>(out: u32[128])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    unsigned sum = 0;
#pragma unroll 1
    for (int round = 0; round < 3; round++) {
        weak_store(&s[threadIdx.x], round + threadIdx.x);  //~ race: missing-sync error (with line 12)
        cluster_barrier();
        sum += weak_load(in_block(&s[threadIdx.x], (blockIdx.x + 1) % 4));
    }
    cluster_barrier();
    out[blockIdx.x * 32 + threadIdx.x] = sum;
}
