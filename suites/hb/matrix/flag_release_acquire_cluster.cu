// CLEAN. "Release synchronizes with acquire when the acquire's read observes the release's write": two blocks
// of a cluster, distributed shared memory.
//@ launch: hand_over<<<2, 1, cluster=2>>>(out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned data, flag;
    flag = 0;
    cluster_barrier();
    if (blockIdx.x == 0) {
        weak_store(in_block(&data, 1), 1);
        strong_store(release, cluster, in_block(&flag, 1), 1);
    } else {
        while (strong_load(acquire, cluster, &flag) == 0) {
        }
        out[0] = weak_load(&data);
    }
    cluster_barrier();
}
