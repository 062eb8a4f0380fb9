// CLEAN. Copies inside a warp: each lane waits for its own, and __syncwarp is the edge to the others.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    copy_wait_all();
    __syncwarp();
    out[threadIdx.x] = buffer[threadIdx.x ^ 5];
}
