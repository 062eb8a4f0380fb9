// RACY. Global memory, blocks: a barrier of the block stands where one of the grid is needed.
//@ launch: global_blocks_block_barrier<<<2, 64>>>(data: u32[128], out: u32[128])
#include "support.h"

__global__ void global_blocks_block_barrier(unsigned* data, unsigned* out) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(data + place, place);
    __syncthreads();
    out[place] = weak_load(data + (place ^ 64));  //~ [barracuda] race: missing-sync (with line 7) by barracuda BAR  //~ [curd] race: missing-sync (with line 7) by curd inter-block  //~ [hb] race: missing-sync error (with line 7) by hb "among their participants"
}
