// CLEAN. A thread that reads only what it copied itself needs wait_all and no barrier.
//@ launch: stream<<<1, 64>>>(in: u32[256] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[256];
    COPY_ASYNC_16(buffer + threadIdx.x * 4, in + threadIdx.x * 4);
    copy_wait_all();
    out[threadIdx.x] = buffer[threadIdx.x * 4] + buffer[threadIdx.x * 4 + 3];
}
