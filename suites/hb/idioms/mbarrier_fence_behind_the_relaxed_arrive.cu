// RACY. The fence comes behind the relaxed arrival, and releases nothing that it could tell.
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
        mbarrier_arrive_relaxed(&full);
        __threadfence_block();
    } else {
        mbarrier_wait(&full, 0);
        out[lane] = buffer[31 - lane];  //~ race: async (with line 14)
    }
}
