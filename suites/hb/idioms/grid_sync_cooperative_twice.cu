// CLEAN. Two grid barriers: the cells are written again after they were read.
//@ launch: steps<<<2, 64, cooperative>>>(cells: u32[128])
#include <cooperative_groups.h>

__global__ void steps(unsigned* cells) {
    auto grid = cooperative_groups::this_grid();
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    cells[i] = i;
    grid.sync();
    unsigned other = cells[127 - i];
    grid.sync();
    cells[i] = other;
}
