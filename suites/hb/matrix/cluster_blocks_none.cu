// RACY. Blocks of one cluster are blocks: global memory, no order.
//@ launch: exchange<<<2, 32, cluster=2>>>(data: u32[64], out: u32[64])
#include "../support.h"

__global__ void exchange(unsigned* data, unsigned* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    weak_store(&data[i], i);
    out[i] = weak_load(&data[i ^ 32]);  //~ race: missing-sync error (with line 7)
}
