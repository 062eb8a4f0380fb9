// RACY. Two copies of one thread to one place are not ordered with each other.
//@ launch: stream<<<1, 32>>>(in: u32[64] = iota, out: u32[32])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[32];
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    COPY_ASYNC_4(buffer + threadIdx.x, in + 32 + threadIdx.x);  //~ race: async (with line 7)
    copy_wait_all();
    out[threadIdx.x] = buffer[threadIdx.x];
}
