// CLEAN. Lanes of one warp: one instruction writes to four words, the same value to each of them.
//@ launch: lanes_one_store_of_the_same_value_to_each_word<<<1, 32>>>(out: u32[4])
#include "support.h"

__global__ void lanes_one_store_of_the_same_value_to_each_word(unsigned* out) {
    __shared__ unsigned cells[4];
    weak_store(&cells[threadIdx.x % 4], threadIdx.x % 4);  //~ [barracuda] clean by barracuda same-value  //~ [curd] race: warp-sync warning (with itself) by curd intra-block  //~ [hb] race: same-value info (with itself) by hb "info when one instruction of one warp"
    __syncthreads();
    if (threadIdx.x < 4) {
        out[threadIdx.x] = weak_load(&cells[threadIdx.x]);
    }
}
