// CLEAN. Branches: inside of a branch some lanes write, and all that took it read where the inner paths have joined.
//@ launch: branch_nested_joined<<<1, 32>>>(out: u32[8])
#include "support.h"

__global__ void branch_nested_joined(unsigned* out) {
    __shared__ unsigned cells[4];
    if (threadIdx.x < 8) {
        if (threadIdx.x < 4) {
            weak_store(&cells[threadIdx.x], threadIdx.x);
        }
        out[threadIdx.x] = weak_load(&cells[threadIdx.x % 4]);  //~ [barracuda] clean by barracuda ELSEENDIF  //~ [curd] race: warp-sync warning (with line 9) by curd intra-block  //~ [hb] race: warp-sync error (with line 9) by hb "not by being converged"
    }
}
