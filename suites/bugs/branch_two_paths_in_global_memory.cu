// RACY. Branches: one half of a warp writes what the other half reads, on the two paths of a branch.
//@ launch: branch_two_paths_in_global_memory<<<1, 32>>>(data: u32[16], out: u32[16])
#include "support.h"

__global__ void branch_two_paths_in_global_memory(unsigned* data, unsigned* out) {
    if (threadIdx.x < 16) {
        weak_store(data + threadIdx.x, threadIdx.x);
    } else {
        out[threadIdx.x - 16] = weak_load(data + threadIdx.x - 16);  //~ [barracuda] race: divergence (with line 7) by barracuda IF  //~ [curd] race: warp-sync warning (with line 7) by curd intra-block  //~ [hb] race: divergence error (with line 7) by hb "then/else paths of one branch"
    }
}
