// RACY. Shared memory, warps of one block: two warps write the same value. Only writes of one warp are forgiven.
//@ launch: shared_warps_same_value<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void shared_warps_same_value(unsigned* out) {
    __shared__ unsigned found;
    if (threadIdx.x % 32 == 0) {
        weak_store(&found, 1);  //~ [barracuda] race: missing-sync (with itself) by barracuda WRITEEXCL  //~ [curd] race: missing-sync (with itself) by curd intra-block  //~ [hb] race: same-value warning (with itself) by hb "unordered writes that all store the same bytes"
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = weak_load(&found);
    }
}
