// CLEAN. As library_group_copy_in_a_loop.cu, but the tile waits for each copy, and synchronises before the next.
//@ launch: load<<<1, 32>>>(in: u32[64] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

__global__ void load(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[32];
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    for (unsigned pass = 0; pass < 2; ++pass) {
        cooperative_groups::memcpy_async(tile, buffer, in + pass * 32, sizeof(unsigned) * 20);
        cooperative_groups::wait(tile);
        out[pass * 32 + threadIdx.x] = buffer[threadIdx.x % 20];
        tile.sync();
    }
}
