// CLEAN. Branches: some lanes write in one branch, and others read in the next one. The first branch has ended by then.
//@ launch: branch_two_behind_each_other<<<1, 32>>>(out: u32[8])
#include "support.h"

__global__ void branch_two_behind_each_other(unsigned* out) {
    __shared__ unsigned cells[8];
    if (threadIdx.x < 8) {
        weak_store(&cells[threadIdx.x], threadIdx.x);
    }
    if (threadIdx.x >= 24) {
        out[threadIdx.x - 24] = weak_load(&cells[threadIdx.x - 24]);  //~ [barracuda] clean by barracuda ELSEENDIF  //~ [curd] race: warp-sync warning (with line 8) by curd intra-block  //~ [hb] race: divergence error (with line 8) by hb "or lanes that diverged"
    }
}
