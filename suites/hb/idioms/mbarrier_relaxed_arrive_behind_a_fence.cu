// CLEAN. A fence before the relaxed arrival releases what came before it.
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
        __threadfence_block();
        mbarrier_arrive_relaxed(&full);
    } else {
        mbarrier_wait(&full, 0);
        out[lane] = buffer[31 - lane];
    }
}
