// RACY. The read-only path is "outside the model": a barrier does not help it.
//@ launch: look<<<1, 64>>>(data: u32[64], out: u32[64])
#include "../support.h"

__global__ void look(unsigned* data, unsigned* out) {
    weak_store(&data[threadIdx.x], 1);
    __syncthreads();
    out[threadIdx.x] = __ldg(&data[threadIdx.x ^ 32]);  //~ race: readonly-path error (with line 6)
}
