// RACY. "arrive is a source only": who only announces has not waited for the other side.
//@ launch: hand_over<<<1, 64>>>(out: u32[32])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x < 32) {
        barrier_arrive(1, 64);
        out[threadIdx.x] = weak_load(&s[threadIdx.x]);
    } else {
        weak_store(&s[threadIdx.x - 32], threadIdx.x);  //~ race: missing-sync error (with line 9)
        barrier_sync(1, 64);
    }
}
