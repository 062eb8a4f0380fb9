// RACY. The writer's arrival is relaxed and the reader's is not: it is the writer's that counts.
//@ launch: hand_over<<<2, 32, cluster=2>>>(data: u32[32], out: u32[32])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[threadIdx.x], threadIdx.x);
        cluster_arrive_relaxed();
        cluster_wait();
    } else {
        cluster_arrive();
        cluster_wait();
        out[threadIdx.x] = weak_load(&data[threadIdx.x]);  //~ race: missing-fence error (with line 7)
    }
}
