// RACY. "Synchronisation is there, its scope is too narrow (fence)": two blocks of a cluster, distributed
// shared memory.
//@ launch: hand_over<<<2, 1, cluster=2>>>(out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned data, flag;
    flag = 0;
    cluster_barrier();
    if (blockIdx.x == 0) {
        weak_store(in_block(&data, 1), 1);
        fence(acq_rel, cluster);
        strong_store(relaxed, cluster, in_block(&flag, 1), 1);
    } else {
        while (strong_load(relaxed, cluster, &flag) == 0) {
        }
        fence(acq_rel, cta);
        out[0] = weak_load(&data);  //~ race: scope error (with line 11)
    }
    cluster_barrier();
}
