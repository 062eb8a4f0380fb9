// CLEAN. Lanes of one warp, shared memory: all lanes write, then all read, in lockstep.
//@ launch: lanes_exchange_in_shared_memory<<<1, 32>>>(out: u32[32])
#include "support.h"

__global__ void lanes_exchange_in_shared_memory(unsigned* out) {
    __shared__ unsigned cells[32];
    weak_store(&cells[threadIdx.x], threadIdx.x);
    out[threadIdx.x] = weak_load(&cells[31 - threadIdx.x]);  //~ [barracuda] clean by barracuda ENDINSN  //~ [curd] race: warp-sync warning (with line 7) by curd intra-block  //~ [hb] race: warp-sync error (with line 7) by hb "not ordered by being in one warp"
}
