// CLEAN. Full and empty barriers of a producer and a consumer that share one slot.
//@ launch: pipeline<<<1, 64>>>(out: u32[128])
#include "../support.h"

__global__ void pipeline(unsigned* out) {
    __shared__ unsigned slot[32];
    unsigned lane = threadIdx.x % 32;
    for (int round = 0; round < 4; round++) {
        if (threadIdx.x < 32) {
            if (round > 0) {
                barrier_sync(2, 64);
            }
            weak_store(&slot[lane], round);
            barrier_arrive(1, 64);
        } else {
            barrier_sync(1, 64);
            out[round * 32 + lane] = weak_load(&slot[lane]);
            if (round < 3) {
                barrier_arrive(2, 64);
            }
        }
    }
}
