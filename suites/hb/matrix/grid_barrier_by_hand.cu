// CLEAN. "A grid barrier works only because of RMW chains plus cumulativity of bar.sync".
//@ launch: exchange<<<4, 64>>>(data: u32[256], count: u32[1], out: u32[256])
#include "../support.h"

__global__ void exchange(unsigned* data, unsigned* count, unsigned* out) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    weak_store(&data[i], i);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(count, 1);
        while (strong_load(relaxed, gpu, count) != 4) {
        }
        __threadfence();
    }
    __syncthreads();
    out[i] = weak_load(&data[255 - i]);
}
