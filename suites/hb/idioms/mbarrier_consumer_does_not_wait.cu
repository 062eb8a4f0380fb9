// RACY. The consumer does not wait for the full barrier.
//@ launch: stream<<<1, 64>>>(out: u32[128])
#include "support/ptx.cuh"

__global__ void stream(unsigned* out) {
    __shared__ unsigned buffer[2][32];
    __shared__ unsigned long long full[2], empty[2];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        mbarrier_init(full + threadIdx.x, 32);
        mbarrier_init(empty + threadIdx.x, 32);
    }
    __syncthreads();
    for (unsigned item = 0; item < 2; ++item) {
        unsigned slot = item % 2;
        if (threadIdx.x < 32) {
            buffer[slot][lane] = item * 32 + lane;
            mbarrier_arrive(full + slot);
        } else {
            out[item * 32 + lane] = buffer[slot][31 - lane];  //~ race: missing-sync (with line 17)
            mbarrier_arrive(empty + slot);
        }
    }
}
