// CLEAN. A block writes into the shared memory of its neighbour and arrives at the barrier there, at cluster scope on both sides.
//@ launch: send<<<2, 32, cluster=2>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void send(unsigned* out) {
    __shared__ unsigned inbox[32];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 32);
    }
    cluster_sync();
    if (cluster_rank() == 1) {
        unsigned remote = address_in_block(shared_address(inbox + threadIdx.x), 0);
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(remote), "r"(threadIdx.x + 5) : "memory");
        mbarrier_arrive_in_block(&full, 0);
    } else {
        mbarrier_wait_cluster(&full, 0);
        out[threadIdx.x] = inbox[31 - threadIdx.x];
    }
}
