// CLEAN. "arrive -> sync": the producer only announces, the consumer waits.
//@ launch: hand_over<<<1, 64>>>(out: u32[32])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x < 32) {
        weak_store(&s[threadIdx.x], threadIdx.x);
        barrier_arrive(1, 64);
    } else {
        barrier_sync(1, 64);
        out[threadIdx.x - 32] = weak_load(&s[threadIdx.x - 32]);
    }
}
