// RACY. A barrier orders the threads, not the copies that they have begun.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = buffer[63 - threadIdx.x];  //~ race: async (with line 7)
    copy_wait_all();
}
