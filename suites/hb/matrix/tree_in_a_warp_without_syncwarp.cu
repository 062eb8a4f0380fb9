// RACY. "Lanes that rely on lockstep where bar.warp.sync is needed": the last steps of a reduction tree.
//@ launch: sum<<<1, 32>>>(out: u32[1])
#include "../support.h"

__global__ void sum(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    __syncwarp();
#pragma unroll 1
    for (int stride = 16; stride > 0; stride /= 2) {
        unsigned other = threadIdx.x < stride ? weak_load(&s[threadIdx.x + stride]) : 0;
        other += weak_load(&s[threadIdx.x]);
        weak_store(&s[threadIdx.x], other);  //~ race: warp-sync error (with line 11)
    }
    if (threadIdx.x == 0) {
        out[0] = weak_load(&s[0]);
    }
}
