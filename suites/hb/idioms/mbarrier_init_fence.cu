// CLEAN. fence.mbarrier_init before a relaxed arrival at the barrier of the cluster: the other block may use the object.
//@ launch: send<<<2, 32, cluster=2>>>()
#include "support/ptx.cuh"

__global__ void send() {
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_arrive_relaxed();
    cluster_wait();
    mbarrier_arrive_in_block(&full, cluster_rank() ^ 1);
    mbarrier_wait_cluster(&full, 0);
    cluster_sync();
}
