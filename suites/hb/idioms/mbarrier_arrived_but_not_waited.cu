// RACY. All threads arrive, but nobody waits before reading.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)
#include "support/ptx.cuh"

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[64];
    __shared__ unsigned long long all;
    if (threadIdx.x == 0) {
        mbarrier_init(&all, 64);
    }
    __syncthreads();
    buffer[threadIdx.x] = cells[threadIdx.x];
    mbarrier_arrive(&all);
    cells[threadIdx.x] = buffer[63 - threadIdx.x];  //~ race: async (with line 12)
    mbarrier_wait(&all, 0);
}
