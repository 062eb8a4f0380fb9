// CLEAN. Each block of a cluster has its own words in the shared memory of one of them.
//@ launch: gather<<<4, 8, cluster=4>>>(out: u32[32])
#include "../support.h"

__global__ void gather(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(in_block(&s[blockIdx.x * 8 + threadIdx.x], 0), blockIdx.x);
    cluster_barrier();
    if (blockIdx.x == 0) {
        for (int i = threadIdx.x; i < 32; i += 8) {
            out[i] = weak_load(&s[i]);
        }
    }
}
