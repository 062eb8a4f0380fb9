// RACY. Global memory, blocks: all neighbours are behind the block's barrier, but the one across the border.
//@ launch: global_blocks_stencil_border<<<2, 64>>>(data: u32[130], out: u32[128])
#include "support.h"

__global__ void global_blocks_stencil_border(unsigned* data, unsigned* out) {
    unsigned place = blockIdx.x * 64 + threadIdx.x;
    weak_store(data + place, place);
    __syncthreads();
    out[place] = weak_load(data + place + 1);  //~ [barracuda] race: missing-sync (with line 7) by barracuda BAR  //~ [curd] race: missing-sync (with line 7) by curd inter-block  //~ [hb] race: missing-sync error (with line 7) by hb "among their participants"
}
