// CLEAN. "arrive -> sync/red": the waiting side of an announcement is barrier.red.
//@ launch: hand_over<<<1, 64>>>(out: u32[32])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x < 32) {
        weak_store(&s[threadIdx.x], threadIdx.x);
        barrier_arrive(4, 64);
    } else {
        unsigned ready;
        asm volatile(
            "{ .reg .pred p, q; setp.eq.u32 p, 0, 0; barrier.red.or.pred q, 4, 64, p; selp.u32 %0, 1, 0, q; }"
            : "=r"(ready)::"memory");
        out[threadIdx.x - 32] = weak_load(&s[threadIdx.x - 32]) + ready;
    }
}
