// CLEAN. "Barriers: sync, red": barrier.red with a number, for two of three warps.
//@ launch: exchange<<<1, 96>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    if (threadIdx.x < 64) {
        weak_store(&s[threadIdx.x], threadIdx.x);
        unsigned ready;
        asm volatile("{ .reg .pred p; barrier.red.popc.u32 %0, 3, 64, 1; }" : "=r"(ready)::"memory");
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 32]) + ready;
    }
}
