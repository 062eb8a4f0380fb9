// CLEAN. Warp 0 fills two buffers in turn, warp 1 empties them; full and empty barriers in both directions.
//@ launch: stream<<<1, 64>>>(out: u32[192])
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
    for (unsigned item = 0; item < 6; ++item) {
        unsigned slot = item % 2, lap = item / 2;
        if (threadIdx.x < 32) {
            if (lap > 0) {
                mbarrier_wait(empty + slot, (lap - 1) % 2);
            }
            buffer[slot][lane] = item * 32 + lane;
            mbarrier_arrive(full + slot);
        } else {
            mbarrier_wait(full + slot, lap % 2);
            out[item * 32 + lane] = buffer[slot][31 - lane];
            mbarrier_arrive(empty + slot);
        }
    }
}
