// RACY. "NOT an order: vote.sync": __ballot_sync in front of the reads of the other path.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    if (threadIdx.x % 2) {
        weak_store(&s[threadIdx.x], threadIdx.x);
    }
    unsigned odd = __ballot_sync(0xffffffff, threadIdx.x % 2);
    if (!(odd >> threadIdx.x & 1)) {
        out[threadIdx.x] = weak_load(&s[threadIdx.x + 1]);  //~ race: divergence error (with line 8)
    }
}
