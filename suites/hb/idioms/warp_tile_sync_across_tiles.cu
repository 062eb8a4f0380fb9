// RACY. The barrier of a tile of eight lanes does not order another tile.
//@ launch: rotate<<<1, 32>>>(out: u32[32])
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void rotate(unsigned* out) {
    __shared__ unsigned part[32];
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    part[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = part[threadIdx.x ^ 15];  //~ race: warp-sync error (with line 10)
}
