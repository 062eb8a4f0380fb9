// RACY. What a thread writes after its arrival is not released by it.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)
#include "support/ptx.cuh"

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[64];
    __shared__ unsigned long long all;
    if (threadIdx.x == 0) {
        mbarrier_init(&all, 64);
    }
    __syncthreads();
    mbarrier_arrive(&all);
    buffer[threadIdx.x] = cells[threadIdx.x];
    mbarrier_wait(&all, 0);
    cells[threadIdx.x] = buffer[63 - threadIdx.x];  //~ race: missing-sync (with line 13)
}
