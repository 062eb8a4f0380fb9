// RACY. A block barrier orders nothing between the blocks of a cluster.
//@ launch: exchange<<<2, 32, cluster=2>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(in_block(&s[threadIdx.x], 1 - blockIdx.x), threadIdx.x);
    __syncthreads();
    out[blockIdx.x * 32 + threadIdx.x] = weak_load(&s[threadIdx.x]);  //~ race: missing-sync error (with line 7)
    cluster_barrier();
}
