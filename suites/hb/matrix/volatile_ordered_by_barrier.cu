// CLEAN. "Unordered conflicting accesses": volatile accesses on two sides of a barrier.
//@ launch: exchange<<<1, 64>>>(data: u32[64], out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* data, unsigned* out) {
    volatile_store(&data[threadIdx.x], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = volatile_load(&data[threadIdx.x ^ 32]);
}
