// RACY. The old warp-synchronous style: volatile shared memory and no __syncwarp. "Volatile accesses of lanes that rely on lockstep are warp-sync."
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    volatile_store(&s[threadIdx.x], threadIdx.x);
    out[threadIdx.x] = volatile_load(&s[threadIdx.x ^ 1]);  //~ race: warp-sync error (with line 7)
}
