// RACY. "NOT an order: vote.sync".
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    if (__all_sync(0xffffffff, threadIdx.x < 32)) {
        out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 1]);  //~ race: warp-sync error (with line 7)
    }
}
