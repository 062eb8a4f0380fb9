// RACY. Global memory, blocks: two blocks write one word.
//@ launch: global_blocks_write_write<<<2, 1>>>(data: u32[1])
#include "support.h"

__global__ void global_blocks_write_write(unsigned* data) {
    weak_store(data, blockIdx.x);  //~ [barracuda] race: missing-sync (with itself) by barracuda WRITEEXCL  //~ [curd] race: missing-sync (with itself) by curd inter-block  //~ [hb] race: missing-sync error (with itself) by hb "no ordering at all"
}
