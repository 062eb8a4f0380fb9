// CLEAN. Shared memory, warps of one block: cells are written again after a second barrier.
//@ launch: shared_cells_reused_with_barrier<<<1, 64>>>(out: u32[64])
#include "support.h"

__global__ void shared_cells_reused_with_barrier(unsigned* out) {
    __shared__ unsigned cells[64];
    weak_store(&cells[threadIdx.x], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = weak_load(&cells[threadIdx.x ^ 32]);
    __syncthreads();
    weak_store(&cells[threadIdx.x], 7);  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
}
