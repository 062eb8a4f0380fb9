// CLEAN. Branches: in each round of a loop other lanes take the branch, and go on with what those of the round before left.
//@ launch: branch_of_other_lanes_in_each_round<<<1, 32>>>(data: u32[1])
#include "support.h"

__global__ void branch_of_other_lanes_in_each_round(unsigned* data) {
    for (unsigned round = 0; round < 4; ++round) {
        if (threadIdx.x == round * 8) {
            unsigned sum = weak_load(data) + 1;  //~ [barracuda] clean by barracuda ELSEENDIF  //~ [curd] race: warp-sync warning (with line 9) by curd intra-block  //~ [hb] race: divergence error (with line 9) by hb "or lanes that diverged"
            weak_store(data, sum);  //~ [curd] race: warp-sync warning (with line 9) by curd intra-block  //~ [hb] race: divergence error (with line 9) by hb "or lanes that diverged"
        }
    }
}
