// CLEAN. cooperative_groups: sync of the grid.
//@ launch: exchange<<<4, 32, 0, cooperative>>>(data: u32[128], out: u32[128])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void exchange(unsigned* data, unsigned* out) {
    unsigned i = blockIdx.x * 32 + threadIdx.x;
    data[i] = i;
    cg::this_grid().sync();
    out[i] = data[127 - i];
}
