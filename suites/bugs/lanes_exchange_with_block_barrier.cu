// CLEAN. Lanes of one warp, global memory: a barrier of the block is one of the lanes, too.
//@ launch: lanes_exchange_with_block_barrier<<<1, 32>>>(data: u32[32], out: u32[32])
#include "support.h"

__global__ void lanes_exchange_with_block_barrier(unsigned* data, unsigned* out) {
    weak_store(data + threadIdx.x, threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = weak_load(data + 31 - threadIdx.x);  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
}
