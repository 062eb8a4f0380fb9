// CLEAN. The buffer was counted in by atomics, each behind a proxy fence before the barrier.
//@ launch: fetch<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    __shared__ unsigned long long full;
    unsigned place = atomicAdd(&buffer[threadIdx.x % 16], 1);
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
    }
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        BULK_LOAD(buffer, in, sizeof(buffer), &full);
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = buffer[63 - threadIdx.x] + place;
}
