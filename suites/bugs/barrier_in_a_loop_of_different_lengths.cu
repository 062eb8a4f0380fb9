// RACY. Barriers: one half of a warp waits in a loop, the other half has left it and waits behind it.
//@ launch: barrier_in_a_loop_of_different_lengths<<<1, 32>>>(count: u32[1], out: u32[32])
#include "support.h"

__global__ void barrier_in_a_loop_of_different_lengths(unsigned* count, unsigned* out) {
    atomicAdd(count, 1u);
    for (unsigned round = 0; round < threadIdx.x / 16 + 1; ++round) {
        weak_store(out + threadIdx.x, round);
        __syncthreads();
    }
    if (threadIdx.x < 16) {
        weak_store(out + threadIdx.x, 9);
        __syncthreads();  //~ [barracuda, curd] race: barrier-divergence (with line 9) by barracuda BAR  //~ [hb] race: barrier-divergence error (with line 9) by hb "lanes of one warp at different .aligned barriers"
    }
}
