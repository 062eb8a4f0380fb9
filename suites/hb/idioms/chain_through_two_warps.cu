// CLEAN. The block in the middle receives in one warp and sends in another, with a flag of block scope between: cumulativity.
//@ launch: pass_on<<<3, 64>>>(flags: u32[2], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void pass_on(unsigned* flags, unsigned* data, unsigned* out) {
    __shared__ unsigned inner;
    if (threadIdx.x == 0) {
        inner = 0;
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *data = 42;
        store_release(flags, 1);
    } else if (blockIdx.x == 1 && threadIdx.x == 0) {
        while (load_acquire(flags) == 0) {
        }
        store_release_block(&inner, 1);
    } else if (blockIdx.x == 1 && threadIdx.x == 32) {
        while (load_acquire_block(&inner) == 0) {
        }
        store_release(flags + 1, 1);
    } else if (blockIdx.x == 2 && threadIdx.x == 32) {
        while (load_acquire(flags + 1) == 0) {
        }
        *out = *data;
    }
}
