// RACY. Shared memory, warps of one block: cells are written again before the other warp has read them for sure.
//@ launch: shared_cells_reused_no_barrier<<<1, 64>>>(out: u32[64])
#include "support.h"

__global__ void shared_cells_reused_no_barrier(unsigned* out) {
    __shared__ unsigned cells[64];
    weak_store(&cells[threadIdx.x], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = weak_load(&cells[threadIdx.x ^ 32]);
    weak_store(&cells[threadIdx.x], 7);  //~ [barracuda] race: missing-sync (with line 9) by barracuda WRITEEXCL  //~ [curd] race: missing-sync (with line 9) by curd intra-block  //~ [hb] race: missing-sync error (with line 9) by hb "no ordering at all"
}
