// RACY. Shared memory, warps of one block: each warp reads what the other one writes, with nothing between.
//@ launch: shared_warps_no_barrier<<<1, 64>>>(out: u32[64])
#include "support.h"

__global__ void shared_warps_no_barrier(unsigned* out) {
    __shared__ unsigned cells[64];
    weak_store(&cells[threadIdx.x], threadIdx.x);
    out[threadIdx.x] = weak_load(&cells[threadIdx.x ^ 32]);  //~ [barracuda] race: missing-sync (with line 7) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 7) by curd intra-block  //~ [hb] race: missing-sync error (with line 7) by hb "no ordering at all"
}
