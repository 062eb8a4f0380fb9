// RACY. The fence before the relaxed arrival reaches its own block only.
//@ launch: exchange<<<2, 64, cluster=2>>>(out: u32[128])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned inbox[64];
    unsigned remote = address_in_block(shared_address(inbox + threadIdx.x), cluster_rank() ^ 1);
    cluster_sync();
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(threadIdx.x) : "memory");
    asm volatile("fence.acq_rel.cta;" ::: "memory");
    cluster_arrive_relaxed();
    cluster_wait();
    out[blockIdx.x * 64 + threadIdx.x] = inbox[threadIdx.x];  //~ race: scope (with line 9)
}
