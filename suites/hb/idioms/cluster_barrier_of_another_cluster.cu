// RACY. A cluster barrier orders one cluster; the data is of another one.
//@ launch: exchange<<<4, 32, cluster=2>>>(cells: u32[128], out: u32[128])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* cells, unsigned* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    cells[i] = i;
    cluster_sync();
    out[i] = cells[127 - i];  //~ race: missing-sync (with line 7)
}
