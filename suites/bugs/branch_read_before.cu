// CLEAN. Branches: all lanes read before the branch, and one path writes.
//@ launch: branch_read_before<<<1, 32>>>(out: u32[32])
#include "support.h"

__global__ void branch_read_before(unsigned* out) {
    __shared__ unsigned cells[32];
    out[threadIdx.x] = weak_load(&cells[31 - threadIdx.x]);
    if (threadIdx.x < 16) {
        weak_store(&cells[threadIdx.x], 1);  //~ [barracuda] clean by barracuda IF  //~ [curd] race: warp-sync warning (with line 7) by curd intra-block  //~ [hb] race: warp-sync error (with line 7) by hb "not ordered by being in one warp"
    }
}
