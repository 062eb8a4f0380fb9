// RACY. Branches: the two paths are taken by two warps, so it is a race in a block and none of branch order.
//@ launch: branch_of_whole_warps<<<1, 64>>>(data: u32[32], out: u32[32])
#include "support.h"

__global__ void branch_of_whole_warps(unsigned* data, unsigned* out) {
    if (threadIdx.x < 32) {
        weak_store(data + threadIdx.x, threadIdx.x);
    } else {
        out[threadIdx.x - 32] = weak_load(data + threadIdx.x - 32);  //~ [barracuda] race: missing-sync (with line 7) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 7) by curd intra-block  //~ [hb] race: missing-sync error (with line 7) by hb "no ordering at all"
    }
}
