// CLEAN. An arrival at the barrier of a cluster releases, and counts as a fence of device scope.
//@ launch: exchange<<<2, 32, cluster=2>>>(data: u32[64], out: u32[64])
#include "support.h"

__global__ void exchange(unsigned* data, unsigned* out) {
    unsigned number = blockIdx.x * 32 + threadIdx.x;
    weak_store(data + number, number);
    cluster_barrier();
    weak_store(out + number, weak_load(data + 63 - number));
}
