// RACY. Global memory, blocks: one block writes what another one reads.
//@ launch: global_blocks_write_read<<<2, 1>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void global_blocks_write_read(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
    } else {
        out[0] = weak_load(data);  //~ [barracuda] race: missing-sync (with line 7) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 7) by curd inter-block  //~ [hb] race: missing-sync error (with line 7) by hb "no ordering at all"
    }
}
