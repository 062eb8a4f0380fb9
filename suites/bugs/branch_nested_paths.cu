// RACY. Branches: the two paths of a branch inside of another one.
//@ launch: branch_nested_paths<<<1, 32>>>(out: u32[4])
#include "support.h"

__global__ void branch_nested_paths(unsigned* out) {
    __shared__ unsigned cells[4];
    if (threadIdx.x < 8) {
        if (threadIdx.x < 4) {
            weak_store(&cells[threadIdx.x], threadIdx.x);
        } else {
            out[threadIdx.x - 4] = weak_load(&cells[threadIdx.x - 4]);  //~ [barracuda] race: divergence (with line 9) by barracuda IF  //~ [curd] race: warp-sync warning (with line 9) by curd intra-block  //~ [hb] race: divergence error (with line 9) by hb "then/else paths of one branch"
        }
    }
}
