// RACY. The source in global memory is written by ordinary stores just before, without a proxy fence.
//@ launch: fetch<<<1, 32>>>(in: u32[32], out: u32[32])
#include "support/ptx.cuh"

__global__ void fetch(unsigned* in, unsigned* out) {
    __shared__ alignas(128) unsigned buffer[32];
    __shared__ unsigned long long full;
    in[threadIdx.x] = threadIdx.x + 1;
    if (threadIdx.x == 0) {
        mbarrier_init(&full, 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        mbarrier_arrive_expecting(&full, sizeof(buffer));
        BULK_LOAD(buffer, in, sizeof(buffer), &full);  //~ race: async (with line 8)
    }
    mbarrier_wait(&full, 0);
    out[threadIdx.x] = buffer[31 - threadIdx.x];
}
