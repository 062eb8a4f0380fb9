// CLEAN. All threads of block 0 write, one tells block 1, where one listens for all: bar.sync on both sides is cumulative.
//@ launch: broadcast<<<2, 64>>>(flag: u32[1], data: u32[64], out: u32[64])
#include "support/ptx.cuh"

__global__ void broadcast(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = threadIdx.x + 1;
        __syncthreads();
        if (threadIdx.x == 0) {
            store_release(flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (load_acquire(flag) == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = data[63 - threadIdx.x];
    }
}
