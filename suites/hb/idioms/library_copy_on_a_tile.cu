// CLEAN. A tile copies fewer words than it has lanes, and the lanes that have nothing left copy the last word once more. Reports keep
// that with what is within NVIDIA's headers.
//@ launch: load<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

__global__ void load(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[2][32];
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    unsigned warp = threadIdx.x / 32;
    cooperative_groups::memcpy_async(tile, buffer[warp], in + warp * 32, sizeof(unsigned) * 8);
    cooperative_groups::wait(tile);
    out[threadIdx.x] = buffer[warp][7 - threadIdx.x % 8];
}
