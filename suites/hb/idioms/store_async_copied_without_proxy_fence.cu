// RACY. The store is complete, but it is of the generic proxy: a bulk copy does not see it without a proxy fence.
//@ launch: send<<<2, 32, cluster=2>>>(out: u32[8])
#include "support/ptx.cuh"

__global__ void send(unsigned* out) {
    __shared__ alignas(16) unsigned inbox[4];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < 4; i++) inbox[i] = 7;
        fence_proxy_async();
        mbarrier_init(&full, 1);
        mbarrier_arrive_expecting(&full, 4);
    }
    cluster_sync();
    if (threadIdx.x == 0) {
        unsigned remote = address_in_block(shared_address(inbox), cluster_rank() ^ 1);
        unsigned signal = address_in_block(shared_address(&full), cluster_rank() ^ 1);
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(remote), "r"(41), "r"(signal) : "memory");
        mbarrier_wait(&full, 0);
        BULK_STORE(out + 4 * cluster_rank(), inbox, 16);  //~ race: async (with line 18)
        bulk_commit();
        bulk_wait();
    }
    cluster_sync();
}
