// CLEAN. st.async is of the generic proxy: what threads wrote before a cluster barrier needs no proxy fence.
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
        mbarrier_wait(&full, 0);
        out[cluster_rank()] = inbox;
    }
    cluster_sync();
}
