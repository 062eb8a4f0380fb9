// RACY. One buffer is filled again without waiting until the consumers have read it.
//@ launch: produce<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void produce(unsigned* out) {
    __shared__ unsigned buffer[32];
    unsigned lane = threadIdx.x % 32;
    for (unsigned item = 0; item < 2; ++item) {
        if (threadIdx.x < 32) {
            buffer[lane] = item * 32 + lane;
            named_barrier_arrive(1 + item, 64);
        } else {
            named_barrier_sync(1 + item, 64);
            out[item * 32 + lane] = buffer[31 - lane];  //~ race: missing-sync (with line 10)
        }
    }
}
