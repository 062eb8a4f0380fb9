// CLEAN. A flag of block scope between two warps of one block.
//@ launch: hand_over<<<2, 64>>>(out: u32[2])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned flag, data;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        data = 42 + blockIdx.x;
        store_release_block(&flag, 1);
    } else if (threadIdx.x == 32) {
        while (load_acquire_block(&flag) == 0) {
        }
        out[blockIdx.x] = data;
    }
}
