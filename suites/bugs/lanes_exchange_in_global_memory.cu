// CLEAN. Lanes of one warp, global memory: all lanes write, then all read, in lockstep.
//@ launch: lanes_exchange_in_global_memory<<<1, 32>>>(data: u32[32], out: u32[32])
#include "support.h"

__global__ void lanes_exchange_in_global_memory(unsigned* data, unsigned* out) {
    weak_store(data + threadIdx.x, threadIdx.x);
    out[threadIdx.x] = weak_load(data + 31 - threadIdx.x);  //~ [barracuda] clean by barracuda ENDINSN  //~ [curd] race: warp-sync warning (with line 6) by curd intra-block  //~ [hb] race: warp-sync error (with line 6) by hb "not ordered by being in one warp"
}
