// CLEAN. test_wait with the state that the arrival gave back.
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
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&all)) : "memory");
    unsigned done = 0;
    while (done == 0) {
        asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                     : "=r"(done)
                     : "r"(shared_address(&all)), "l"(state)
                     : "memory");
    }
    cells[threadIdx.x] = buffer[63 - threadIdx.x];
}
