// CLEAN. "Exited threads do not count": the other threads of the block meet without them.
//@ launch: exchange<<<1, 96>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    if (threadIdx.x >= 64) {
        return;
    }
    weak_store(&s[threadIdx.x], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 32]);
}
