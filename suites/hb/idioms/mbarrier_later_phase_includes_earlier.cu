// CLEAN. Who waits for the second phase has what was released in the first: the waits for that one are relaxed here.
//@ launch: stream<<<1, 96>>>(out: u32[1])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned first, second;
    __shared__ unsigned long long phase;
    if (threadIdx.x == 0) {
        mbarrier_init(&phase, 2);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        first = gridDim.x;
        mbarrier_arrive(&phase);
    } else if (threadIdx.x == 32) {
        mbarrier_wait_relaxed(&phase, 0);
        second = gridDim.x + 1;
        mbarrier_arrive(&phase);
    } else if (threadIdx.x == 64) {
        mbarrier_arrive(&phase);
        mbarrier_wait_relaxed(&phase, 0);
        mbarrier_arrive(&phase);
        mbarrier_wait(&phase, 1);
        *out = first + second;
    }
}
