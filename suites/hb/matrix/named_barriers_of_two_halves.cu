// RACY. "Barriers among their participants": each half has a barrier, and reads from the other half.
//@ launch: exchange<<<1, 128>>>(out: u32[128])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[128];
    weak_store(&s[threadIdx.x], threadIdx.x);
    int half = threadIdx.x / 64;
    barrier_sync(1 + half, 64);
    out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 64]);  //~ race: missing-sync error (with line 7)
}
