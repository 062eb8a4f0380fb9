// CLEAN. A fence behind the relaxed wait acquires what the arrival released.
//@ launch: stream<<<1, 64>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned buffer[32];
    __shared__ unsigned long long full;
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 32);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        buffer[lane] = lane;
        mbarrier_arrive(&full);
    } else {
        mbarrier_wait_relaxed(&full, 0);
        __threadfence_block();
        out[lane] = buffer[31 - lane];
    }
}
