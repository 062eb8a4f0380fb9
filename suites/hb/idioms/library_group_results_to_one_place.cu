// RACY. Two tiles store their sums to the same place: cooperative groups do it, but the user has said where.
//@ launch: sum<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

__global__ void sum(unsigned* in, unsigned* out) {
    __shared__ unsigned total;
    auto block = cooperative_groups::this_thread_block();
    auto tile = cooperative_groups::tiled_partition<32>(block);
    cooperative_groups::reduce_store_async(tile, &total, in[threadIdx.x], cooperative_groups::plus<unsigned>());
    block.sync();
    out[threadIdx.x] = total;
}
//~ line 10: race: missing-sync error (with itself)
