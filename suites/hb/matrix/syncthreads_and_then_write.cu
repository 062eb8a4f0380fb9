// RACY. "Barriers: sync, red": what comes after __syncthreads_and is in no order with what the others do there.
//@ launch: exchange<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    weak_store(&s[threadIdx.x], 1);
    if (__syncthreads_and(1)) {
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 32]);
        weak_store(&s[threadIdx.x], threadIdx.x);  //~ race: missing-sync error (with line 9)
    }
}
