// RACY. fence.mbarrier_init orders the initialisation, and no data beside it.
//@ launch: send<<<2, 32, cluster=2>>>(data: u32[2], out: u32[2])
#include "support/ptx.cuh"

__global__ void send(unsigned* data, unsigned* out) {
    __shared__ unsigned long long full;
    unsigned own = cluster_rank();
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 32);
        data[own] = own;
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_arrive_relaxed();
    cluster_wait();
    if (threadIdx.x == 0) {
        out[own] = data[own ^ 1];  //~ race: missing-fence (with line 10)
    }
    cluster_sync();
}
