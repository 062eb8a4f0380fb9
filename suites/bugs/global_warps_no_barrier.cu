// RACY. Global memory, warps of one block: nothing between writing and reading.
//@ launch: global_warps_no_barrier<<<1, 64>>>(data: u32[64], out: u32[64])
#include "support.h"

__global__ void global_warps_no_barrier(unsigned* data, unsigned* out) {
    weak_store(data + threadIdx.x, threadIdx.x);
    out[threadIdx.x] = weak_load(data + (threadIdx.x ^ 32));  //~ [barracuda] race: missing-sync (with line 6) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 6) by curd intra-block  //~ [hb] race: missing-sync error (with line 6) by hb "no ordering at all"
}
