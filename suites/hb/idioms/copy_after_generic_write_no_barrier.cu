// RACY. A copy into a word that another thread clears at the same time.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    buffer[63 - threadIdx.x] = 0;
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);  //~ race: async (with line 7)
    copy_wait_all();
    __syncthreads();
    out[threadIdx.x] = buffer[63 - threadIdx.x];
}
