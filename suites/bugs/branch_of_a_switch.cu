// RACY. Branches: two cases of a switch, of which one writes what the other one reads.
//@ launch: branch_of_a_switch<<<1, 32>>>(data: u32[1], out: u32[32])
#include "support.h"

__global__ void branch_of_a_switch(unsigned* data, unsigned* out) {
    switch (threadIdx.x % 4) {
    case 0:
        out[threadIdx.x] = 1;
        break;
    case 1:
        if (threadIdx.x == 5) {
            weak_store(data, 1);
        }
        break;
    case 2:
        out[threadIdx.x] = weak_load(data);  //~ [barracuda] race: divergence (with line 12) by barracuda IF  //~ [curd] race: warp-sync warning (with line 12) by curd intra-block  //~ [hb] race: divergence error (with line 12) by hb "then/else paths of one branch"
        break;
    default:
        out[threadIdx.x] = 3;
    }
}
