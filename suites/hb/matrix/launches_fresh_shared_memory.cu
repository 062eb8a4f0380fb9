// CLEAN. Shared memory is fresh in each launch: blocks of two launches share nothing.
//@ launch: fill<<<1, 32>>>(out: u32[32])
//@ launch: fill<<<1, 32>>>(out: u32[32])
#include "../support.h"

__global__ void fill(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[(threadIdx.x + blockIdx.x) % 32], threadIdx.x);
    __syncwarp();
    out[threadIdx.x] = weak_load(&s[31 - threadIdx.x]);
}
