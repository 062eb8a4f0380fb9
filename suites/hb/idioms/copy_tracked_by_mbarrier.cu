// CLEAN. All copies of the block report to one mbarrier; a true wait on it makes them visible to every thread.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include "support/ptx.cuh"

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ unsigned buffer[64];
    __shared__ unsigned long long copied;
    if (threadIdx.x == 0) {
        mbarrier_init(&copied, 64);
    }
    __syncthreads();
    COPY_ASYNC_4(buffer + threadIdx.x, in + threadIdx.x);
    copy_arrive_on(&copied);
    mbarrier_wait(&copied, 0);
    out[threadIdx.x] = buffer[63 - threadIdx.x];
}
