// CLEAN. What the issuer wrote before is carried by its own arrival at the barrier, not by the copy.
//@ launch: fetch<<<1, 64>>>(in: u32[32] = iota, out: u32[1])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[32];
    __shared__ unsigned long long full;
    __shared__ unsigned extra;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
        fence_proxy_async();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        extra = gridDim.x;
        BULK_LOAD(buffer, in, sizeof(buffer), &full);
        mbarrier_arrive_expecting(&full, sizeof(buffer));
    } else if (threadIdx.x == 32) {
        mbarrier_wait(&full, 0);
        *out = buffer[3] + extra;
    }
}
