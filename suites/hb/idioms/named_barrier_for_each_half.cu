// CLEAN. Two halves of a block have a barrier each and stay among themselves.
//@ launch: halves<<<1, 128>>>(out: u32[128])
#include "support/ptx.cuh"

__global__ void halves(unsigned* out) {
    __shared__ unsigned buffer[128];
    unsigned half = threadIdx.x / 64;
    buffer[threadIdx.x] = threadIdx.x;
    named_barrier_sync(1 + half, 64);
    out[threadIdx.x] = buffer[threadIdx.x ^ 63];
}
