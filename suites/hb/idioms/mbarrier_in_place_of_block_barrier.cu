// CLEAN. All threads arrive and wait: an mbarrier as a barrier of the block, in three phases.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)
#include "support/ptx.cuh"

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[2][64];
    __shared__ unsigned long long all;
    if (threadIdx.x == 0) {
        mbarrier_init(&all, 64);
    }
    __syncthreads();
    unsigned value = cells[threadIdx.x];
    for (int round = 0; round < 3; ++round) {
        buffer[round % 2][threadIdx.x] = value;
        mbarrier_arrive(&all);
        mbarrier_wait(&all, round % 2);
        value = buffer[round % 2][63 - threadIdx.x] + 1;
    }
    cells[threadIdx.x] = value;
}
