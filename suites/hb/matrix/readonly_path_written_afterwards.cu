// RACY. "Info where the read is ordered before the write": its value is in a register by then.
//@ launch: look<<<1, 64>>>(data: u32[64], out: u32[64])
#include "../support.h"

__global__ void look(unsigned* data, unsigned* out) {
    out[threadIdx.x] = __ldg(&data[threadIdx.x]);
    __syncthreads();
    weak_store(&data[threadIdx.x], 1);  //~ race: readonly-path info (with line 6)
}
