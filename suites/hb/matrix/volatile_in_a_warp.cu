// RACY. The old warp-synchronous style: volatile shared memory and no __syncwarp. Nothing is wrong in PTX: kind volatile, not warp-sync.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    volatile_store(&s[threadIdx.x], threadIdx.x);
    out[threadIdx.x] = volatile_load(&s[threadIdx.x ^ 1]);  //~ race: volatile warning (with line 7)
}
