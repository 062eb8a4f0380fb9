// RACY. The barrier at the end is missing: a block uses its shared memory again while the other one still reads it.
//@ launch: exchange<<<2, 64, cluster=2>>>(out: u32[256])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned outbox[64];
    unsigned remote = address_in_block(shared_address(outbox + threadIdx.x), cluster_rank() ^ 1);
    outbox[threadIdx.x] = threadIdx.x;
    cluster_sync();
    unsigned value;
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
    out[blockIdx.x * 64 + threadIdx.x] = value;
    outbox[threadIdx.x] = value + 1;  //~ race: missing-sync (with line 11)
    cluster_sync();
    out[128 + blockIdx.x * 64 + threadIdx.x] = outbox[threadIdx.x];
}
