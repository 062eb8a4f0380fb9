// CLEAN. Figure 2 of iGUARD: the end of a reduction without a warp barrier. In lockstep nothing is missing.
//@ launch: iguard_figure_2_reduction<<<1, 32>>>(data: u32[32])
#include "support.h"

__global__ void iguard_figure_2_reduction(unsigned* data) {
    unsigned lane = threadIdx.x;
    unsigned sum = weak_load(data + lane);
    if (lane < 2) {
        sum += weak_load(data + lane + 2);
        weak_store(data + lane, sum);
    }
    if (lane == 0) {
        weak_store(data, sum + weak_load(data + 1));  //~ [barracuda] clean by barracuda ENDINSN  //~ [curd] race: warp-sync warning (with line 10) by curd intra-block  //~ [hb] race: warp-sync error (with line 10) by hb "not ordered by being in one warp"
    }
}
