// RACY. "NOT an order: shfl.sync".
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    unsigned other = __shfl_xor_sync(0xffffffff, threadIdx.x, 1);
    out[threadIdx.x] = weak_load(&s[other]);  //~ race: warp-sync error (with line 7)
}
