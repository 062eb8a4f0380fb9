// CLEAN. Barriers: two warps meet, each in a branch of its own; all threads of the block are active.
//@ launch: barrier_of_two_warps_at_two_places<<<1, 64>>>(out: u32[64])
#include "support.h"

__global__ void barrier_of_two_warps_at_two_places(unsigned* out) {
    if (threadIdx.x < 32) {
        weak_store(out + threadIdx.x, 1);
        __syncthreads();
        weak_store(out + threadIdx.x + 32, 2);
    } else {
        weak_store(out + threadIdx.x, 3);
        __syncthreads();  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] race: barrier-divergence warning (with line 8) by hb "two sites meeting in one phase: warning"
        weak_store(out + threadIdx.x - 32, 4);
    }
}
