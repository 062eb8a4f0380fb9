// CLEAN. Lanes of one warp: all read a word in one instruction, and one of them writes it in a later one.
//@ launch: lanes_all_read_one_writes<<<1, 32>>>(data: u32[1], out: u32[32])
#include "support.h"

__global__ void lanes_all_read_one_writes(unsigned* data, unsigned* out) {
    out[threadIdx.x] = weak_load(data);
    if (threadIdx.x == 5) {
        weak_store(data, 1);  //~ [barracuda] clean by barracuda ENDINSN  //~ [curd] race: warp-sync warning (with line 6) by curd intra-block  //~ [hb] race: warp-sync error (with line 6) by hb "not ordered by being in one warp"
    }
}
