// CLEAN. Global memory, warps of one block: all read a word, and behind a barrier one thread writes it.
//@ launch: global_warps_barrier<<<1, 64>>>(data: u32[1], out: u32[64])
#include "support.h"

__global__ void global_warps_barrier(unsigned* data, unsigned* out) {
    out[threadIdx.x] = weak_load(data);
    __syncthreads();
    if (threadIdx.x == 40) {
        weak_store(data, 1);  //~ [barracuda] clean by barracuda WRITESHARED  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
    }
}
