// RACY. The copy's completion makes its own writes visible, never what its issuer wrote before it.
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
    if (threadIdx.x == 32) {
        // Another thread arrives; thread 0 only copies.
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        mbarrier_wait(&full, 0);
        *out = buffer[3] + extra;
    } else if (threadIdx.x == 0) {
        extra = gridDim.x;  //~ race: missing-sync (with line 18)
        BULK_LOAD(buffer, in, sizeof(buffer), &full);
    }
}
