// CLEAN. A scope that is wider than needed includes both threads: two blocks of a cluster, distributed shared
// memory.
//@ launch: hand_over<<<2, 1, cluster=2>>>(out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned data, flag;
    flag = 0;
    cluster_barrier();
    if (blockIdx.x == 0) {
        weak_store(in_block(&data, 1), 1);
        fence(acq_rel, gpu);
        strong_store(relaxed, gpu, in_block(&flag, 1), 1);
    } else {
        while (strong_load(relaxed, gpu, &flag) == 0) {
        }
        fence(acq_rel, gpu);
        out[0] = weak_load(&data);
    }
    cluster_barrier();
}
