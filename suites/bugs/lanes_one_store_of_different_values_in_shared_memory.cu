// RACY. Lanes of one warp: two lanes of one instruction write different values to one word of shared memory.
//@ launch: lanes_one_store_of_different_values_in_shared_memory<<<1, 32>>>(out: u32[32])
#include "support.h"

__global__ void lanes_one_store_of_different_values_in_shared_memory(unsigned* out) {
    __shared__ unsigned cells[31];
    unsigned place = threadIdx.x < 31 ? threadIdx.x : 0;
    weak_store(&cells[place], threadIdx.x);  //~ [barracuda] race: divergence (with itself) by barracuda WRITEEXCL  //~ [curd] race: warp-sync warning (with itself) by curd intra-block  //~ [hb] race: missing-sync error (with itself) by hb "neither morally strong nor ordered either way"
    __syncthreads();
    out[threadIdx.x] = weak_load(&cells[place]);
}
