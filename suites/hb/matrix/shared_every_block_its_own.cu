// CLEAN. Shared memory is of one block: the same variable in two blocks is two places.
//@ launch: fill<<<4, 32>>>(out: u32[128])
#include "../support.h"

__global__ void fill(unsigned* out) {
    __shared__ unsigned s[32];
    weak_store(&s[threadIdx.x], blockIdx.x);
    out[blockIdx.x * 32 + threadIdx.x] = weak_load(&s[threadIdx.x]);
}
