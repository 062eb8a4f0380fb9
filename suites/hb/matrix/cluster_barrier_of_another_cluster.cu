// RACY. The barrier of a cluster orders nothing between two clusters.
//@ launch: exchange<<<4, 32, cluster=2>>>(data: u32[128], out: u32[128])
#include "../support.h"

__global__ void exchange(unsigned* data, unsigned* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    weak_store(&data[i], i);
    cluster_barrier();
    out[i] = weak_load(&data[i ^ 64]);  //~ race: missing-sync error (with line 7)
}
