// CLEAN. Blocks draw their number from a counter and go on when the one before is done: order without the order of blockIdx.
//@ launch: ordered<<<4, 32>>>(drawn: u32[1], done: u32[1], log: u32[128])
#include "support/ptx.cuh"

__global__ void ordered(unsigned* drawn, unsigned* done, unsigned* log) {
    __shared__ unsigned number;
    if (threadIdx.x == 0) {
        number = atomicAdd(drawn, 1u);
        while (load_acquire(done) != number) {
        }
    }
    __syncthreads();
    unsigned before = number > 0 ? log[(number - 1) * 32 + 31 - threadIdx.x] : 0;
    log[number * 32 + threadIdx.x] = before + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        store_release(done, number + 1);
    }
}
