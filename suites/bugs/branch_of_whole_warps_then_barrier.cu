// CLEAN. Branches: a warp writes on its path, and the other one reads behind a barrier of both.
//@ launch: branch_of_whole_warps_then_barrier<<<1, 64>>>(out: u32[32])
#include "support.h"

__global__ void branch_of_whole_warps_then_barrier(unsigned* out) {
    __shared__ unsigned cells[32];
    if (threadIdx.x < 32) {
        weak_store(&cells[threadIdx.x], threadIdx.x);
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        out[threadIdx.x - 32] = weak_load(&cells[63 - threadIdx.x]);  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
    }
}
