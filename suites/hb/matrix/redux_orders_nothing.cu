// RACY. "NOT an order: redux.sync".
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    unsigned last = __reduce_max_sync(0xffffffff, threadIdx.x);
    out[threadIdx.x] = weak_load(&s[last - threadIdx.x]);  //~ race: warp-sync error (with line 7)
}
