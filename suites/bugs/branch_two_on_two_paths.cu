// RACY. Branches: of two branches one is on the one path of a third and the other on its other path.
//@ launch: branch_two_on_two_paths<<<1, 32>>>(out: u32[8])
#include "support.h"

__global__ void branch_two_on_two_paths(unsigned* out) {
    __shared__ unsigned cells[8];
    if (threadIdx.x < 16) {
        if (threadIdx.x < 8) {
            weak_store(&cells[threadIdx.x], threadIdx.x);
        }
    } else {
        if (threadIdx.x >= 24) {
            out[threadIdx.x - 24] = weak_load(&cells[threadIdx.x - 24]);  //~ [barracuda] race: divergence (with line 9) by barracuda IF  //~ [curd] race: warp-sync warning (with line 9) by curd intra-block  //~ [hb] race: divergence error (with line 9) by hb "then/else paths of one branch"
        }
    }
}
