// CLEAN. All threads have read the word when, behind a barrier, one writes it.
//@ launch: read_then_write<<<1, 128>>>(out: u32[128])
#include "../support.h"

__global__ void read_then_write(unsigned* out) {
    __shared__ unsigned s;
    if (threadIdx.x == 0) {
        weak_store(&s, 1);
    }
    __syncthreads();
    out[threadIdx.x] = weak_load(&s);
    __syncthreads();
    if (threadIdx.x == 77) {
        weak_store(&s, 2);
    }
}
