// CLEAN. Global memory, warps of one block: what one warp wrote, the other writes behind a barrier.
//@ launch: global_written_again_behind_barrier<<<1, 64>>>(data: u32[64])
#include "support.h"

__global__ void global_written_again_behind_barrier(unsigned* data) {
    weak_store(data + threadIdx.x, 1);
    __syncthreads();
    weak_store(data + (threadIdx.x ^ 32), 2);  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
}
