// CLEAN. The buffer was only read by ordinary loads since it was filled: a barrier is enough before it is filled again.
//@ launch: fetch<<<1, 64>>>(in: u32[128] = iota, out: u32[128])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async();
    }
    __syncthreads();
    for (int round = 0; round < 2; ++round) {
        if (threadIdx.x == 0) {
            mbarrier_arrive_expecting(&full, sizeof(buffer));
            BULK_LOAD(buffer, in + round * 64, sizeof(buffer), &full);
        }
        mbarrier_wait(&full, round);
        out[round * 64 + threadIdx.x] = buffer[63 - threadIdx.x];
        __syncthreads();
    }
}
