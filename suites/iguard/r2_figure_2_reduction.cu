// R2, figures 2 and 8 of the paper, in global memory: the end of a reduction without a warp barrier.
//@ launch: reduce<<<1, 32>>>(data: u32[32])
#include "support.h"

__global__ void reduce(unsigned* data) {
    unsigned lane = threadIdx.x;
    unsigned sum = weak_load(data + lane);
    if (lane < 2) {
        sum += weak_load(data + lane + 2);
        weak_store(data + lane, sum);
    }
    if (lane == 0) {
        weak_store(data, sum + weak_load(data + 1));  //~ [iguard] race: warp-sync error (with line 10)  //~ [hb] race: warp-sync error (with line 10)
    }
}
