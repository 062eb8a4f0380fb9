// CLEAN. P4, figure 2 of the paper with the warp barrier that is missing there.
//@ launch: reduce<<<1, 32>>>(data: u32[32])
#include "support.h"

__global__ void reduce(unsigned* data) {
    unsigned lane = threadIdx.x;
    unsigned sum = weak_load(data + lane);
    __syncwarp();
    if (lane < 2) {
        sum += weak_load(data + lane + 2);
        weak_store(data + lane, sum);
    }
    __syncwarp();
    if (lane == 0) {
        weak_store(data, sum + weak_load(data + 1));
    }
}
