// CLEAN. A barrier that can be used again: the last to arrive resets the count and moves the generation on.
//@ launch: steps<<<3, 32>>>(arrived: u32[1], generation: u32[1], cells: u32[192])
#include "support/ptx.cuh"

__device__ void barrier(unsigned* arrived, unsigned* generation, unsigned round) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
            store_relaxed(arrived, 0);
            __threadfence();
            store_relaxed(generation, round + 1);
        } else {
            while (load_relaxed(generation) != round + 1) {
            }
        }
        __threadfence();
    }
    __syncthreads();
}

__global__ void steps(unsigned* arrived, unsigned* generation, unsigned* cells) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    cells[i] = i;
    for (unsigned round = 0; round < 3; ++round) {
        barrier(arrived, generation, round);
        unsigned* from = cells + round % 2 * 96;
        unsigned* to = cells + (round + 1) % 2 * 96;
        to[i] = from[(i + 33) % 96] + 1;
    }
}
