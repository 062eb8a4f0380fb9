// RACY. Two warps of one block that meet in the shared memory of another block.
//@ launch: exchange<<<2, 64, cluster=2>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    if (blockIdx.x == 0) {
        weak_store(in_block(&s[threadIdx.x], 1), threadIdx.x);  //~ race: missing-sync error (with line 9)
        out[threadIdx.x] = weak_load(in_block(&s[threadIdx.x ^ 32], 1));
    }
    cluster_barrier();
}
