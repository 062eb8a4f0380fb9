// RACY. Barriers: the lanes of one warp wait at two barriers, so not all threads are active at either.
//@ launch: barrier_on_two_paths_of_a_warp<<<1, 32>>>(count: u32[1], out: u32[32])
#include "support.h"

__global__ void barrier_on_two_paths_of_a_warp(unsigned* count, unsigned* out) {
    atomicAdd(count, 1u);
    if (threadIdx.x < 16) {
        weak_store(out + threadIdx.x, 1);
        __syncthreads();
        weak_store(out + threadIdx.x, 2);
    } else {
        weak_store(out + threadIdx.x, 3);
        __syncthreads();  //~ [barracuda, curd] race: barrier-divergence (with line 9) by barracuda BAR  //~ [hb] race: barrier-divergence error (with line 9) by hb "lanes of one warp at different .aligned barriers"
        weak_store(out + threadIdx.x, 4);
    }
}
