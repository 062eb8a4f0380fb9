// CLEAN. Order is transitive: lane 0 meets lane 1, then lane 1 meets lane 2, which reads what lane 0 wrote.
//@ launch: relay<<<1, 32>>>(out: u32[1])
#include "../support.h"

__global__ void relay(unsigned* out) {
    __shared__ unsigned s;
    if (threadIdx.x == 0) {
        weak_store(&s, 1);
        __syncwarp(0b011);
    } else if (threadIdx.x == 1) {
        __syncwarp(0b011);
        __syncwarp(0b110);
    } else if (threadIdx.x == 2) {
        __syncwarp(0b110);
        out[0] = weak_load(&s);
    }
}
