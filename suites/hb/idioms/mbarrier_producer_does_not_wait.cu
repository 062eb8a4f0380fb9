// RACY. The producer fills the one buffer again without waiting until it is empty.
//@ launch: stream<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned buffer[32];
    __shared__ unsigned long long full[2];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        mbarrier_init(full + threadIdx.x, 32);
    }
    __syncthreads();
    for (unsigned item = 0; item < 2; ++item) {
        if (threadIdx.x < 32) {
            buffer[lane] = item * 32 + lane;
            mbarrier_arrive(full + item);
        } else {
            mbarrier_wait(full + item, 0);
            out[item * 32 + lane] = buffer[31 - lane];  //~ race: missing-sync (with line 15)
        }
    }
}
