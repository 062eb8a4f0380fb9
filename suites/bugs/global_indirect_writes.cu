// RACY. Global memory, warps of one block: places come from another array, which names some of them twice.
//@ launch: global_indirect_writes<<<1, 64>>>(place: u32[64] = iota, data: u32[32])
#include "support.h"

__global__ void global_indirect_writes(unsigned* place, unsigned* data) {
    weak_store(data + weak_load(place + threadIdx.x) % 32, threadIdx.x);  //~ [barracuda] race: missing-sync (with itself) by barracuda WRITEEXCL  //~ [curd] race: missing-sync (with itself) by curd intra-block  //~ [hb] race: missing-sync error (with itself) by hb "no ordering at all"
}
