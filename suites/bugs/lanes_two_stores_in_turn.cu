// CLEAN. Lanes of one warp: two instructions write different values to one word, one after the other.
//@ launch: lanes_two_stores_in_turn<<<1, 32>>>(data: u32[32])
#include "support.h"

__global__ void lanes_two_stores_in_turn(unsigned* data) {
    weak_store(data + threadIdx.x, 1);
    weak_store(data + (threadIdx.x ^ 1), 2);  //~ [barracuda] clean by barracuda ENDINSN  //~ [curd] race: warp-sync warning (with line 6) by curd intra-block  //~ [hb] race: warp-sync error (with line 6) by hb "not ordered by being in one warp"
}
