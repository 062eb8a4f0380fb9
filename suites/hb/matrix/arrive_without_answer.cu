// RACY. The producer of a slot does not wait until the consumer has read it.
//@ launch: pipeline<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void pipeline(unsigned* out) {
    __shared__ unsigned slot[32];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        weak_store(&slot[lane], 1);
        barrier_arrive(1, 64);
        weak_store(&slot[lane], 2);
        barrier_arrive(2, 64);
    } else {
        barrier_sync(1, 64);
        out[lane] = weak_load(&slot[lane]);  //~ race: missing-sync error (with line 11)
        barrier_sync(2, 64);
        out[32 + lane] = weak_load(&slot[lane]);
    }
}
