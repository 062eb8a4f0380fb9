// CLEAN. Two named barriers for each of two buffers: full and empty.
//@ launch: produce<<<1, 64>>>(out: u32[128])
#include "support/ptx.cuh"

__global__ void produce(unsigned* out) {
    __shared__ unsigned buffer[2][32];
    unsigned lane = threadIdx.x % 32;
    for (unsigned item = 0; item < 4; ++item) {
        unsigned slot = item % 2, full = 1 + slot, empty = 3 + slot;
        if (threadIdx.x < 32) {
            if (item >= 2) {
                named_barrier_sync(empty, 64);
            }
            buffer[slot][lane] = item * 32 + lane;
            named_barrier_arrive(full, 64);
        } else {
            named_barrier_sync(full, 64);
            out[item * 32 + lane] = buffer[slot][31 - lane];
            if (item < 2) {
                named_barrier_arrive(empty, 64);
            }
        }
    }
}
