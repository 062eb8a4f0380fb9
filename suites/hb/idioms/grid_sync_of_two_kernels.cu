// CLEAN. A cooperative launch after another one; grid barriers in both.
//@ launch: fill<<<2, 64, cooperative>>>()
//@ launch: turn<<<2, 64, cooperative>>>(out: u32[128])
#include <cooperative_groups.h>

__device__ unsigned cells[128];

__global__ void fill() {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    cells[i] = i;
    cooperative_groups::this_grid().sync();
    if (i == 0) {
        cells[127] = cells[64] + 1;
    }
}

__global__ void turn(unsigned* out) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    unsigned other = cells[127 - i];
    cooperative_groups::this_grid().sync();
    cells[i] = other;
    out[i] = other;
}
