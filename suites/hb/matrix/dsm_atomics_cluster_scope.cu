// CLEAN. Atomics of all blocks of a cluster on the shared memory of one.
//@ launch: count<<<4, 32, cluster=4>>>(out: u32[1])
#include "../support.h"

__global__ void count(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        weak_store(&counter, 0);
    }
    cluster_barrier();
    atom_add(relaxed, cluster, in_block(&counter, 0), 1);
    cluster_barrier();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = weak_load(&counter);
    }
}
