// RACY. cooperative_groups: a shuffle of a tile orders no memory.
//@ launch: exchange<<<1, 32>>>(out: u32[32])
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void exchange(unsigned* out) {
    __shared__ unsigned s[32];
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    s[threadIdx.x] = threadIdx.x;
    unsigned other = tile.shfl_xor(threadIdx.x, 1);
    out[threadIdx.x] = s[other];  //~ race: warp-sync error (with line 9)
}
