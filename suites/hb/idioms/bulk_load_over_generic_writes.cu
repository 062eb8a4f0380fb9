// RACY. The buffer was cleared by ordinary stores. Before a bulk copy may overwrite them a proxy fence is needed.
//@ launch: fetch<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    __shared__ unsigned long long full;
    buffer[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        BULK_LOAD(buffer, in, sizeof(buffer), &full);  //~ race: async (with line 8)
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = buffer[63 - threadIdx.x];
}
