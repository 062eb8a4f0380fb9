// CLEAN. A scope that is wider than needed includes both threads: two lanes of one warp, shared memory.
//@ launch: hand_over<<<1, 32>>>(out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned data, flag;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncwarp();
    if (threadIdx.x == 0) {
        weak_store(&data, 1);
        fence(acq_rel, sys);
        strong_store(relaxed, sys, &flag, 1);
    } else if (threadIdx.x == 1) {
        while (strong_load(relaxed, sys, &flag) == 0) {
        }
        fence(acq_rel, sys);
        out[0] = weak_load(&data);
    }
}
