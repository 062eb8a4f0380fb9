// RACY. Shared memory, one block: a tree of sums whose barrier is outside of the loop.
//@ launch: shared_reduction_barrier_left_out<<<1, 128>>>(in: u32[128] = iota, out: u32[1])
#include "support.h"

__global__ void shared_reduction_barrier_left_out(unsigned* in, unsigned* out) {
    __shared__ unsigned sums[128];
    weak_store(&sums[threadIdx.x], weak_load(in + threadIdx.x));
    __syncthreads();
    for (unsigned stride = 64; stride > 31; stride /= 2) {
        if (threadIdx.x < stride) {
            unsigned sum = weak_load(&sums[threadIdx.x]) + weak_load(&sums[threadIdx.x + stride]);
            weak_store(&sums[threadIdx.x], sum);  //~ [barracuda] race: missing-sync (with line 11) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 11) by curd intra-block  //~ [hb] race: missing-sync error (with line 11) by hb "no ordering at all"
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = weak_load(&sums[0]);
    }
}
