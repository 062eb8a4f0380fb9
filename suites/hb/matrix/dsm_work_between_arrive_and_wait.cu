// CLEAN. "arrive -> wait": between the two a thread may use what is its own.
//@ launch: exchange<<<2, 32, cluster=2>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32], own[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    cluster_arrive();
    weak_store(&own[threadIdx.x], 5);
    cluster_wait();
    unsigned other = weak_load(in_block(&s[31 - threadIdx.x], 1 - blockIdx.x));
    out[blockIdx.x * 32 + threadIdx.x] = other + weak_load(&own[threadIdx.x]);
    cluster_barrier();
}
