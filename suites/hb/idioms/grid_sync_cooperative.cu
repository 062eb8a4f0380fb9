// CLEAN. The grid barrier of cooperative groups.
//@ launch: steps<<<3, 64, cooperative>>>(first: u32[192], second: u32[192])
#include <cooperative_groups.h>

__global__ void steps(unsigned* first, unsigned* second) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    first[i] = i;
    cooperative_groups::this_grid().sync();
    second[i] = first[191 - i];
}
