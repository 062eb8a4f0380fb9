// RACY. cooperative_groups: a tile of 16 threads orders these 16 only.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    tile.sync();
    out[threadIdx.x] = s[threadIdx.x ^ 16];  //~ race: warp-sync error (with line 9)
}
