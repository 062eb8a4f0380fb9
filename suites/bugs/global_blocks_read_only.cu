// CLEAN. Global memory, blocks: all read one word, and nobody writes it.
//@ launch: global_blocks_read_only<<<2, 64>>>(data: u32[1], out: u32[128])
#include "support.h"

__global__ void global_blocks_read_only(unsigned* data, unsigned* out) {
    out[blockIdx.x * 64 + threadIdx.x] = weak_load(data);  //~ [barracuda] clean by barracuda READINFLATE  //~ [curd] clean by curd inter-block  //~ [hb] clean by hb "at least one a write"
}
