// RACY. Global memory, blocks: two blocks set a flag to the same value, for which nothing is promised beyond a warp.
//@ launch: global_blocks_same_value<<<2, 1>>>(found: u32[1])
#include "support.h"

__global__ void global_blocks_same_value(unsigned* found) {
    weak_store(found, 1);  //~ [barracuda] race: missing-sync (with itself) by barracuda WRITEEXCL  //~ [curd] race: missing-sync (with itself) by curd inter-block  //~ [hb] race: same-value warning (with itself) by hb "unordered writes that all store the same bytes"
}
