// CLEAN. A reduction behind a fence is a release pattern: it writes.
//@ launch: hand_over<<<3, 1>>>(count: u32[1], data: u32[2], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* count, unsigned* data, unsigned* out) {
    if (blockIdx.x < 2) {
        data[blockIdx.x] = 42 + blockIdx.x;
        __threadfence();
        asm volatile("red.relaxed.gpu.add.u32 [%0], 1;" ::"l"(count) : "memory");
    } else {
        while (load_acquire(count) != 2) {
        }
        *out = data[0] + data[1];
    }
}
