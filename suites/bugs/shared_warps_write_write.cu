// RACY. Shared memory, warps of one block: two warps write one word.
//@ launch: shared_warps_write_write<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void shared_warps_write_write(unsigned* out) {
    __shared__ unsigned winner;
    if (threadIdx.x == 0) {
        weak_store(&winner, 1);
    } else if (threadIdx.x == 32) {
        weak_store(&winner, 2);  //~ [barracuda] race: missing-sync (with line 8) by barracuda WRITEEXCL  //~ [curd] race: missing-sync (with line 8) by curd intra-block  //~ [hb] race: missing-sync error (with line 8) by hb "no ordering at all"
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = weak_load(&winner);
    }
}
