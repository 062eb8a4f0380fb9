// CLEAN. Lanes of one warp: one instruction writes the same value to one word, which is well defined.
//@ launch: lanes_one_store_of_the_same_value<<<1, 32>>>(data: u32[1])
#include "support.h"

__global__ void lanes_one_store_of_the_same_value(unsigned* data) {
    weak_store(data, 1);  //~ [barracuda] clean by barracuda same-value  //~ [curd] race: warp-sync warning (with itself) by curd intra-block  //~ [hb] race: same-value info (with itself) by hb "info when one instruction of one warp"
}
