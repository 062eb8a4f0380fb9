// RACY. "NOT an order: reconvergence": half of the lanes store in a branch, all read after it.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], 1);
    __syncwarp();
    if (threadIdx.x < 16) {
        weak_store(&s[threadIdx.x], threadIdx.x);
    }
    out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 16]);  //~ race: warp-sync error (with line 10)
}
