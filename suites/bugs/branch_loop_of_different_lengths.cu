// CLEAN. Branches: lanes leave a loop one after the other, and read their neighbours' cells where all have left it.
//@ launch: branch_loop_of_different_lengths<<<1, 32>>>(out: u32[32])
#include "support.h"

__global__ void branch_loop_of_different_lengths(unsigned* out) {
    __shared__ unsigned cells[32];
    for (unsigned round = 0; round < threadIdx.x % 4 + 1; ++round) {
        weak_store(&cells[threadIdx.x], round);
    }
    out[threadIdx.x] = weak_load(&cells[31 - threadIdx.x]);  //~ [barracuda] clean by barracuda ELSEENDIF  //~ [curd] race: warp-sync warning (with line 8) by curd intra-block  //~ [hb] race: warp-sync error (with line 8) by hb "not by being converged"
}
