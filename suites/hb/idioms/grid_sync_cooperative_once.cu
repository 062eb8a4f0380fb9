// RACY. The second grid barrier is missing: cells are overwritten while other blocks read them.
//@ launch: steps<<<2, 64, cooperative>>>(cells: u32[128])
#include <cooperative_groups.h>

__global__ void steps(unsigned* cells) {
    auto grid = cooperative_groups::this_grid();
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    cells[i] = i;
    grid.sync();
    unsigned other = cells[127 - i];
    cells[i] = other;  //~ race: missing-sync (with line 10)
}
