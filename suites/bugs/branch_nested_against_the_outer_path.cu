// RACY. Branches: what was joined inside of one path is still not ordered with the other path.
//@ launch: branch_nested_against_the_outer_path<<<1, 32>>>(data: u32[1], out: u32[32])
#include "support.h"

__global__ void branch_nested_against_the_outer_path(unsigned* data, unsigned* out) {
    if (threadIdx.x < 16) {
        if (threadIdx.x == 3) {
            out[0] = 1;
        }
        out[threadIdx.x + 1] = weak_load(data);
    } else if (threadIdx.x == 20) {
        weak_store(data, 1);  //~ [barracuda] race: divergence (with line 10) by barracuda IF  //~ [curd] race: warp-sync warning (with line 10) by curd intra-block  //~ [hb] race: divergence error (with line 10) by hb "then/else paths of one branch"
    }
}
