// RACY. Lanes of one warp that meet in the shared memory of another block.
//@ launch: exchange<<<2, 32, cluster=2>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    if (blockIdx.x == 0) {
        weak_store(in_block(&s[threadIdx.x], 1), threadIdx.x);  //~ race: warp-sync error (with line 9)
        out[threadIdx.x] = weak_load(in_block(&s[threadIdx.x ^ 1], 1));
    }
    cluster_barrier();
}
