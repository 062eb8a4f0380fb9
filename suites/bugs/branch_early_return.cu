// RACY. Branches: a lane writes and returns, the others go on and read. They are the other path.
//@ launch: branch_early_return<<<1, 32>>>(data: u32[1], out: u32[32])
#include "support.h"

__global__ void branch_early_return(unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        weak_store(data, 1);
        return;
    }
    out[threadIdx.x] = weak_load(data);  //~ [barracuda] race: divergence (with line 7) by barracuda IF  //~ [curd] race: warp-sync warning (with line 7) by curd intra-block  //~ [hb] race: divergence error (with line 7) by hb "then/else paths of one branch"
}
