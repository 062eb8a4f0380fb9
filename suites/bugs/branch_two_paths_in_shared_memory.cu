// RACY. Branches: one path writes what the other one reads; which path comes first is not defined.
//@ launch: branch_two_paths_in_shared_memory<<<1, 32>>>(out: u32[1])
#include "support.h"

__global__ void branch_two_paths_in_shared_memory(unsigned* out) {
    __shared__ unsigned word;
    if (threadIdx.x == 3) {
        weak_store(&word, 1);
    } else if (threadIdx.x == 7) {
        out[0] = weak_load(&word);  //~ [barracuda] race: divergence (with line 8) by barracuda IF  //~ [curd] race: warp-sync warning (with line 8) by curd intra-block  //~ [hb] race: divergence error (with line 8) by hb "then/else paths of one branch"
    }
}
