// CLEAN. A cluster barrier between the reads of the other block and the next use of the memory.
//@ launch: exchange<<<2, 64, cluster=2>>>(out: u32[128])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned outbox[64];
    unsigned remote = address_in_block(shared_address(outbox + threadIdx.x), cluster_rank() ^ 1);
    unsigned value = blockIdx.x * 64 + threadIdx.x;
    for (int round = 0; round < 3; ++round) {
        outbox[threadIdx.x] = value;
        cluster_sync();
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(remote) : "memory");
        cluster_sync();
    }
    out[blockIdx.x * 64 + threadIdx.x] = value;
}
