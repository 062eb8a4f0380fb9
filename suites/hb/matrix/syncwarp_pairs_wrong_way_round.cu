// RACY. Order is transitive, not symmetric: lane 1 meets lane 2 before it meets lane 0.
//@ launch: relay<<<1, 32>>>(out: u32[1])
#include "../support.h"

__global__ void relay(unsigned* out) {
    __shared__ unsigned s;
    if (threadIdx.x == 0) {
        weak_store(&s, 1);
        __syncwarp(0b011);
    } else if (threadIdx.x == 1) {
        __syncwarp(0b110);
        __syncwarp(0b011);
    } else if (threadIdx.x == 2) {
        __syncwarp(0b110);
        out[0] = weak_load(&s);  //~ race: divergence error (with line 8)
    }
}
