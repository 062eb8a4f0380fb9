// RACY. Lanes of one warp: one instruction writes different values to one word.
//@ launch: lanes_one_store_of_different_values<<<1, 32>>>(data: u32[1])
#include "support.h"

__global__ void lanes_one_store_of_different_values(unsigned* data) {
    weak_store(data, threadIdx.x);  //~ [barracuda] race: divergence (with itself) by barracuda WRITEEXCL  //~ [curd] race: warp-sync warning (with itself) by curd intra-block  //~ [hb] race: missing-sync error (with itself) by hb "neither morally strong nor ordered either way"
}
