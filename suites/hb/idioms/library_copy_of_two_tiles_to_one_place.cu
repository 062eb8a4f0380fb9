// RACY. Two tiles of a block copy to the same place: that is the user's doing, though both copies are within NVIDIA's headers.
//@ launch: load<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

__global__ void load(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[32];
    auto block = cooperative_groups::this_thread_block();
    auto tile = cooperative_groups::tiled_partition<32>(block);
    cooperative_groups::memcpy_async(tile, buffer, in + threadIdx.x / 32 * 32, sizeof(buffer));
    cooperative_groups::wait(tile);
    block.sync();
    out[threadIdx.x] = buffer[31 - threadIdx.x % 32];
}
//~ line 10: race: async error (with itself)
