// CLEAN. Accesses of different sizes on two sides of a barrier.
//@ launch: mix<<<1, 64>>>(words: u64[32], out: u32[64])
#include "../support.h"

__global__ void mix(unsigned long long* words, unsigned* out) {
    if (threadIdx.x < 32) {
        strong_store_u64(relaxed, cta, &words[threadIdx.x], threadIdx.x);
    }
    __syncthreads();
    out[threadIdx.x] = strong_load(relaxed, cta, (unsigned*)words + threadIdx.x);
}
