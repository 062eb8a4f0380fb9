// CLEAN. As library_group_results_to_one_place.cu, but each tile has a place of its own.
//@ launch: sum<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

__global__ void sum(unsigned* in, unsigned* out) {
    __shared__ unsigned totals[2];
    auto block = cooperative_groups::this_thread_block();
    auto tile = cooperative_groups::tiled_partition<32>(block);
    unsigned* total = &totals[tile.meta_group_rank()];
    cooperative_groups::reduce_store_async(tile, total, in[threadIdx.x], cooperative_groups::plus<unsigned>());
    block.sync();
    out[threadIdx.x] = totals[0] + totals[1];
}
