// CLEAN. Shared memory, warps of one block: a barrier between writing and reading.
//@ launch: shared_warps_barrier<<<1, 64>>>(out: u32[64])
#include "support.h"

__global__ void shared_warps_barrier(unsigned* out) {
    __shared__ unsigned cells[64];
    weak_store(&cells[threadIdx.x], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = weak_load(&cells[threadIdx.x ^ 32]);  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
}
