// CLEAN. The producers arrive and go on, the consumers wait: bar.arrive is a source of order, bar.sync its end.
//@ launch: produce<<<1, 64>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void produce(unsigned* out) {
    __shared__ unsigned buffer[32];
    unsigned lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        buffer[lane] = lane + 1;
        named_barrier_arrive(1, 64);
    } else {
        named_barrier_sync(1, 64);
        out[lane] = buffer[31 - lane];
    }
}
