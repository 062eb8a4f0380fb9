// CLEAN. The reader's arrival is relaxed, and the writer's releases.
//@ launch: hand_over<<<2, 32, cluster=2>>>(data: u32[32], out: u32[32])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[threadIdx.x], threadIdx.x);
        cluster_arrive();
        cluster_wait();
    } else {
        cluster_arrive_relaxed();
        cluster_wait();
        out[threadIdx.x] = weak_load(&data[threadIdx.x]);
    }
}
