// RACY. Branches: both paths write the same value. The thesis forgives that in one instruction, and exempts no paths that commute.
//@ launch: branch_two_paths_write_the_same_value<<<1, 32>>>(data: u32[1], in: u32[1])
#include "support.h"

__global__ void branch_two_paths_write_the_same_value(unsigned* data, unsigned* in) {
    if (threadIdx.x == 3) {
        weak_store(data, 0);
    } else if (threadIdx.x == 7) {
        weak_store(data, weak_load(in));  //~ [barracuda] race: divergence (with line 7) by barracuda IF  //~ [curd] race: warp-sync warning (with line 7) by curd intra-block  //~ [hb] race: same-value warning (with line 7) by hb "different paths of a warp that store the same bytes"
    }
}
