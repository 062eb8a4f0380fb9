// CLEAN. A cluster barrier orders accesses to global memory, too.
//@ launch: exchange<<<2, 64, cluster=2>>>(cells: u32[128], out: u32[128])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* cells, unsigned* out) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    cells[i] = i;
    cluster_sync();
    out[i] = cells[127 - i];
}
