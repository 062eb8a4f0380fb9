// CLEAN. A ring of two buffers filled by bulk copies, with full and empty barriers; the consumers only read.
//@ launch: fetch<<<1, 64>>>(in: u32[192] = iota, out: u32[192])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[2][32];
    __shared__ unsigned long long full[2], empty[2];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        mbarrier_init(full + threadIdx.x, 1);
        mbarrier_init(empty + threadIdx.x, 32);
        fence_proxy_async();
    }
    __syncthreads();
    for (unsigned item = 0; item < 6; ++item) {
        unsigned slot = item % 2, lap = item / 2;
        if (threadIdx.x == 0) {
            if (lap > 0) {
                mbarrier_wait(empty + slot, (lap - 1) % 2);
            }
            mbarrier_arrive_expecting(full + slot, 128);
            BULK_LOAD(buffer[slot], in + item * 32, 128, full + slot);
        } else if (threadIdx.x >= 32) {
            mbarrier_wait(full + slot, lap % 2);
            out[item * 32 + lane] = buffer[slot][31 - lane];
            mbarrier_arrive(empty + slot);
        }
    }
}
