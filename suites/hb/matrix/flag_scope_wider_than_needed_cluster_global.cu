// CLEAN. A scope that is wider than needed includes both threads: two blocks of a cluster, global memory.
//@ launch: hand_over<<<2, 1, cluster=2>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        fence(acq_rel, sys);
        strong_store(relaxed, sys, flag, 1);
    } else {
        while (strong_load(relaxed, sys, flag) == 0) {
        }
        fence(acq_rel, sys);
        out[0] = weak_load(data);
    }
}
