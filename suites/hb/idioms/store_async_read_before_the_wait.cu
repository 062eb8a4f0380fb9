// RACY. What st.async writes is there when its mbarrier says so, and not before.
//@ launch: send<<<2, 32, cluster=2>>>(out: u32[2])
#include "support/ptx.cuh"

__global__ void send(unsigned* out) {
    __shared__ unsigned inbox;
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        inbox = 7;
        mbarrier_init(&full, 1);
        mbarrier_arrive_expecting(&full, 4);
    }
    cluster_sync();
    if (threadIdx.x == 0) {
        unsigned remote = address_in_block(shared_address(&inbox), cluster_rank() ^ 1);
        unsigned signal = address_in_block(shared_address(&full), cluster_rank() ^ 1);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(remote), "r"(41), "r"(signal) : "memory");
        out[cluster_rank()] = inbox;  //~ race: async (with line 17)
        mbarrier_wait(&full, 0);
    }
    cluster_sync();
}
