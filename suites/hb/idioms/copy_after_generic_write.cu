// CLEAN. cp.async is of the generic proxy: what was written before a barrier may be overwritten by a copy without a proxy fence.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    buffer[63 - threadIdx.x] = 0;
    __syncthreads();
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    copy_wait_all();
    __syncthreads();
    out[threadIdx.x] = buffer[63 - threadIdx.x];
}
