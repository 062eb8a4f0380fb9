// CLEAN. Shared memory, one block: a tree of sums with a barrier after each step.
//@ launch: shared_reduction<<<1, 64>>>(in: u32[64] = iota, out: u32[1])
#include "support.h"

__global__ void shared_reduction(unsigned* in, unsigned* out) {
    __shared__ unsigned sums[64];
    weak_store(&sums[threadIdx.x], weak_load(in + threadIdx.x));
    __syncthreads();
    for (unsigned stride = 32; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            unsigned sum = weak_load(&sums[threadIdx.x]) + weak_load(&sums[threadIdx.x + stride]);
            weak_store(&sums[threadIdx.x], sum);  //~ [barracuda] clean by barracuda BAR  //~ [curd] clean by curd intra-block  //~ [hb] clean by hb "among their participants"
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[0] = weak_load(&sums[0]);
    }
}
