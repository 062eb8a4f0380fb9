// CLEAN. A barrier without atomics: block 0 collects a flag of each block and sends a flag to each.
//@ launch: steps<<<4, 64>>>(in: u32[4], out: u32[4], first: u32[256], second: u32[256])
#include "support/ptx.cuh"

__global__ void steps(unsigned* in, unsigned* out, unsigned* first, unsigned* second) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    first[i] = i;
    __syncthreads();
    if (blockIdx.x == 0) {
        if (threadIdx.x > 0 && threadIdx.x < gridDim.x) {
            while (load_acquire(in + threadIdx.x) == 0) {
            }
        }
        __syncthreads();
        if (threadIdx.x > 0 && threadIdx.x < gridDim.x) {
            store_release(out + threadIdx.x, 1);
        }
    } else if (threadIdx.x == 0) {
        store_release(in + blockIdx.x, 1);
        while (load_acquire(out + blockIdx.x) == 0) {
        }
    }
    __syncthreads();
    second[i] = first[255 - i];
}
