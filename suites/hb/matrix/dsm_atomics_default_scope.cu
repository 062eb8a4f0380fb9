// CLEAN. atomicAdd on distributed shared memory has device scope, which includes the cluster.
//@ launch: count<<<2, 32, cluster=2>>>(out: u32[1])
#include "../support.h"

__global__ void count(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        weak_store(&counter, 0);
    }
    cluster_barrier();
    atomicAdd(in_block(&counter, 0), 1);
    cluster_barrier();
}
