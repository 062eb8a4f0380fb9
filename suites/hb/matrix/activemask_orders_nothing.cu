// RACY. "NOT an order: activemask".
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], threadIdx.x);
    unsigned active = __activemask();
    out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 1]) + active;  //~ race: warp-sync error (with line 7)
}
