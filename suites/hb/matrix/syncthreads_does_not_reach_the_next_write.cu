// RACY. A barrier between write and read, and the reader's own write behind both.
//@ launch: overwrite<<<1, 64>>>(data: u32[64], out: u32[64])
#include "../support.h"

__global__ void overwrite(unsigned* data, unsigned* out) {
    weak_store(&data[threadIdx.x], threadIdx.x);
    __syncthreads();
    unsigned other = weak_load(&data[63 - threadIdx.x]);
    weak_store(&data[threadIdx.x], other);  //~ race: missing-sync error (with line 8)
    out[threadIdx.x] = other;
}
