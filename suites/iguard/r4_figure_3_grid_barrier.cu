// Figure 3 of the paper with the barrier of the grid. The data are safe: the threads that wrote them are those that
// release. R4 fits the barrier itself, whose counter is polled by loads.
//@ launch: reduce<<<3, 64, cooperative>>>(in: u32[192], out: u32[3])
//@ flags: --library-code=show
#include <cooperative_groups.h>
#include "support.h"

__global__ void reduce(unsigned* in, unsigned* out) {
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    if (threadIdx.x == 0) {
        unsigned sum = 0;
        for (unsigned at = 0; at < 64; at++) {
            sum += weak_load(in + blockIdx.x * 64 + at);
        }
        weak_store(out + blockIdx.x, sum);
    }
    grid.sync();  //~ [iguard] race: missing-sync error (with itself)
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        for (unsigned other = 1; other < gridDim.x; other++) {
            weak_store(out, weak_load(out) + weak_load(out + other));
        }
    }
}
