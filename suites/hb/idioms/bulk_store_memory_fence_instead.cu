// RACY. An ordinary fence is no proxy fence.
//@ launch: flush<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    buffer[threadIdx.x] = threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(out, buffer, sizeof(buffer));  //~ race: async (with line 7)
        bulk_commit();
        bulk_wait();
    }
}
