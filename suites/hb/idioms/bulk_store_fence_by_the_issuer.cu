// CLEAN. The proxy fence stands after the barrier, in the issuer: on the way from each store to the copy.
//@ launch: flush<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    buffer[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        fence_proxy_async();
        BULK_STORE(out, buffer, sizeof(buffer));
        bulk_commit();
        bulk_wait();
    }
}
