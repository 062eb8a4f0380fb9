// RACY. The producer arrives at one barrier, the consumer waits for the other one, which another warp completes.
//@ launch: stream<<<1, 96>>>(out: u32[1])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned data;
    __shared__ unsigned long long full[2];
    if (threadIdx.x < 2) {
        mbarrier_init(full + threadIdx.x, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        data = gridDim.x;
        mbarrier_arrive(full);
    } else if (threadIdx.x == 32) {
        mbarrier_arrive(full + 1);
    } else if (threadIdx.x == 64) {
        mbarrier_wait(full + 1, 0);
        *out = data;  //~ race: missing-sync (with line 13)
    }
}
