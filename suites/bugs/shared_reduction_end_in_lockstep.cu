// CLEAN. Shared memory, lanes of one warp: the last steps of a tree of sums rely on lockstep.
//@ launch: shared_reduction_end_in_lockstep<<<1, 64>>>(in: u32[64] = iota, out: u32[1])
#include "support.h"

__global__ void shared_reduction_end_in_lockstep(unsigned* in, unsigned* out) {
    __shared__ unsigned sums[64];
    weak_store(&sums[threadIdx.x], weak_load(in + threadIdx.x));
    __syncthreads();
    if (threadIdx.x < 32) {
        for (unsigned stride = 16; stride > 0; stride /= 2) {
            unsigned sum = weak_load(&sums[threadIdx.x]) + weak_load(&sums[threadIdx.x + stride]);
            weak_store(&sums[threadIdx.x], sum);  //~ [barracuda] clean by barracuda ENDINSN  //~ [curd] race: warp-sync warning (with line 11) by curd intra-block  //~ [hb] race: warp-sync error (with line 11) by hb "not ordered by being in one warp"
        }
        if (threadIdx.x == 0) {
            out[0] = weak_load(&sums[0]);
        }
    }
}
