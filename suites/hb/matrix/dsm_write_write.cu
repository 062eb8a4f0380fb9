// RACY. Two blocks of a cluster write different values to the same word of a third.
//@ launch: gather<<<3, 1, cluster=3>>>(out: u32[1])
#include "../support.h"

__global__ void gather(unsigned* out) {
    __shared__ unsigned s;
    if (blockIdx.x > 0) {
        weak_store(in_block(&s, 0), blockIdx.x);  //~ race: missing-sync error (with itself)
    }
    cluster_barrier();
}
