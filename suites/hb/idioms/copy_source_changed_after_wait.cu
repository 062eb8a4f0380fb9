// CLEAN. The source is written before the copy by the same thread, and again after the wait: both are ordered.
//@ launch: stream<<<1, 64>>>(in: u32[64], out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    in[threadIdx.x] = threadIdx.x + 1;
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    copy_wait_all();
    in[threadIdx.x] = 0;
    out[threadIdx.x] = buffer[threadIdx.x];
}
