// CLEAN. A block barrier orders the accesses of its threads wherever the memory is.
//@ launch: exchange<<<2, 64, cluster=2>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    if (blockIdx.x == 0) {
        weak_store(in_block(&s[threadIdx.x], 1), threadIdx.x);
    }
    __syncthreads();
    if (blockIdx.x == 0) {
        out[threadIdx.x] = weak_load(in_block(&s[threadIdx.x ^ 32], 1));
    }
    cluster_barrier();
}
