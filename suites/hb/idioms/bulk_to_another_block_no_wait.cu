// RACY. The receiving block reads its inbox without waiting for the copy.
//@ launch: send<<<2, 32, cluster=2>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void send(unsigned* out) {
    __shared__ alignas(128) unsigned outbox[32], inbox[32];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        mbarrier_arrive_expecting(&full, sizeof(inbox));
    }
    outbox[threadIdx.x] = threadIdx.x + 7;
    fence_proxy_async();
    cluster_sync();
    if (cluster_rank() == 1 && threadIdx.x == 0) {
        BULK_TO_BLOCK(address_in_block(shared_address(inbox), 0), outbox, sizeof(outbox), address_in_block(shared_address(&full), 0));
    }
    if (cluster_rank() == 0) {
        out[threadIdx.x] = inbox[31 - threadIdx.x];  //~ race: async (with line 16)
        mbarrier_wait(&full, 0);
    }
    cluster_sync();
}
