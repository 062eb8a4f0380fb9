// CLEAN. Branches: a lane writes on one path, and all read where the paths have joined.
//@ launch: branch_then_all_read<<<1, 32>>>(data: u32[1], out: u32[32])
#include "support.h"

__global__ void branch_then_all_read(unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        weak_store(data, 1);
    }
    out[threadIdx.x] = weak_load(data);  //~ [barracuda] clean by barracuda ELSEENDIF  //~ [curd] race: warp-sync warning (with line 7) by curd intra-block  //~ [hb] race: warp-sync error (with line 7) by hb "not by being converged"
}
