// RACY. The consumers wait for the phase before the first, which counts as complete, and not for the one of the copy.
//@ launch: fetch<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    __shared__ unsigned long long full;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async();
    }
    __syncthreads();
    mbarrier_wait(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        BULK_LOAD(buffer, in, sizeof(buffer), &full);
        mbarrier_wait(&full, 0);
    } else if (threadIdx.x >= 32) {
        out[threadIdx.x] = buffer[threadIdx.x];  //~ race: async (with line 17)
    }
}
