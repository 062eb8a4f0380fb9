// RACY. The buffer is filled again without waiting until the copy has read it.
//@ launch: flush<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    buffer[threadIdx.x] = threadIdx.x;
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(out, buffer, sizeof(buffer));
        bulk_commit();
    }
    __syncthreads();
    buffer[threadIdx.x] = threadIdx.x + 100;  //~ race: async (with line 11)
    if (threadIdx.x == 0) {
        bulk_wait();
    }
}
