// RACY. Branches: both paths write one word.
//@ launch: branch_two_paths_write<<<1, 32>>>(data: u32[1])
#include "support.h"

__global__ void branch_two_paths_write(unsigned* data) {
    if (threadIdx.x == 3) {
        weak_store(data, 1);
    } else if (threadIdx.x == 7) {
        weak_store(data, 2);  //~ [barracuda] race: divergence (with line 7) by barracuda IF  //~ [curd] race: warp-sync warning (with line 7) by curd intra-block  //~ [hb] race: divergence error (with line 7) by hb "then/else paths of one branch"
    }
}
