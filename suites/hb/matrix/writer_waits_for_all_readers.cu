// CLEAN. The writer has waited for every reading warp, one after the other.
//@ launch: read_then_write<<<1, 96>>>(out: u32[96])
#include "../support.h"

__global__ void read_then_write(unsigned* out) {
    __shared__ unsigned s;
    unsigned warp = threadIdx.x / 32;
    if (warp < 2) {
        out[threadIdx.x] = weak_load(&s);
        barrier_arrive(1 + warp, 64);
    } else {
        barrier_sync(1, 64);
        barrier_sync(2, 64);
        if (threadIdx.x == 95) {
            weak_store(&s, 2);
        }
    }
}
