// RACY. A barrier of the block where one of the grid is needed.
//@ launch: steps<<<2, 64, cooperative>>>(first: u32[128], second: u32[128])
#include <cooperative_groups.h>

__global__ void steps(unsigned* first, unsigned* second) {
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    first[i] = i;
    cooperative_groups::this_thread_block().sync();
    second[i] = first[127 - i];  //~ race: missing-sync (with line 7)
}
