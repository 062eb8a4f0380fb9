// CLEAN. A ticket lock in shared memory between warps, at block scope.
//@ launch: add<<<1, 128>>>(out: u32[1])
#include "support/ptx.cuh"

__global__ void add(unsigned* out) {
    __shared__ unsigned next, serving, total;
    if (threadIdx.x == 0) {
        next = 0;
        serving = 0;
        total = 0;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        unsigned ticket = atomicAdd_block(&next, 1u);
        while (load_acquire_block(&serving) != ticket) {
        }
        total = total + threadIdx.x;
        store_release_block(&serving, ticket + 1);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        *out = total;
    }
}
