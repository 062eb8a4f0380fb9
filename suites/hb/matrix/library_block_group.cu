// CLEAN. cooperative_groups: sync of a block and of a tile.
//@ launch: exchange<<<1, 64>>>(out: u32[64])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[64];
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    s[threadIdx.x] = threadIdx.x;
    tile.sync();
    unsigned other = s[threadIdx.x ^ 1];
    block.sync();
    s[63 - threadIdx.x] = other;
    block.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 32];
}
