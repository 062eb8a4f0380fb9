// CLEAN. The barrier of a cluster orders the threads of one block, too.
//@ launch: exchange<<<2, 64, cluster=2>>>(out: u32[128])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    weak_store(&s[threadIdx.x], threadIdx.x);
    cluster_barrier();
    out[blockIdx.x * 64 + threadIdx.x] = weak_load(&s[63 - threadIdx.x]);
}
