// CLEAN. "barrier.cluster.arrive -> wait (default release and acquire)".
//@ launch: exchange<<<2, 32, cluster=2>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    cluster_barrier();
    out[blockIdx.x * 32 + threadIdx.x] = weak_load(in_block(&s[31 - threadIdx.x], 1 - blockIdx.x));
    cluster_barrier();
}
