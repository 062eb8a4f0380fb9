// RACY. "Then/else paths of one branch": one path stores what the other one reads.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[16];
    if (threadIdx.x < 16) {
        weak_store(&s[threadIdx.x], threadIdx.x);
    } else {
        out[threadIdx.x] = weak_load(&s[threadIdx.x - 16]);  //~ race: divergence error (with line 8)
    }
}
