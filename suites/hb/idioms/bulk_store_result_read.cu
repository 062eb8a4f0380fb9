// CLEAN. wait_group and a barrier, then all threads read the destination.
//@ launch: flush<<<1, 64>>>(out: u32[64], check: u32[64])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out, unsigned* check) {
    __shared__ alignas(128) unsigned buffer[64];
    buffer[threadIdx.x] = threadIdx.x;
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(out, buffer, sizeof(buffer));
        bulk_commit();
        bulk_wait();
    }
    __syncthreads();
    check[threadIdx.x] = out[63 - threadIdx.x];
}
