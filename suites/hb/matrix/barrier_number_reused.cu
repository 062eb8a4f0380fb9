// CLEAN. A numbered barrier can be used again: the second use orders the second exchange.
//@ launch: exchange<<<1, 96>>>(out: u32[96])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[96];
    unsigned warp = threadIdx.x / 32;
    weak_store(&s[threadIdx.x], threadIdx.x);
    if (warp < 2) {
        barrier_sync(5, 64);
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 32]);
    }
    if (warp > 0) {
        barrier_sync(6, 64);
        out[threadIdx.x] = weak_load(&s[warp == 1 ? threadIdx.x + 32 : threadIdx.x - 32]);
    }
}
