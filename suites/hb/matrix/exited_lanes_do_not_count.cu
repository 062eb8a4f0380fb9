// CLEAN. "Exited threads do not count": some lanes of a warp have left before its barrier.
//@ launch: exchange<<<1, 64>>>(out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    if (threadIdx.x % 32 >= 20) {
        return;
    }
    weak_store(&s[threadIdx.x], threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = weak_load(&s[threadIdx.x ^ 32]);
}
