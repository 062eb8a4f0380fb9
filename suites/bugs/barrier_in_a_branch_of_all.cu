// CLEAN. Barriers: a barrier in a branch that all threads of the block take.
//@ launch: barrier_in_a_branch_of_all<<<1, 64>>>(out: u32[64], limit = 64)
#include "support.h"

__global__ void barrier_in_a_branch_of_all(unsigned* out, unsigned limit) {
    __shared__ unsigned cells[64];
    weak_store(&cells[threadIdx.x], threadIdx.x);
    if (limit > 32) {
        __syncthreads();
        out[threadIdx.x] = weak_load(&cells[threadIdx.x ^ 32]);  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
    }
}
