// RACY. A tile copies to the same place in each pass of a loop, and waits only behind the loop: the copies of two passes overlap. That the
// lanes with nothing left to copy do the last word once more is within NVIDIA's headers, and hides nothing of it.
//@ launch: load<<<1, 32>>>(in: u32[64] = iota, out: u32[32])
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

__global__ void load(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[32];
    auto tile = cooperative_groups::tiled_partition<32>(cooperative_groups::this_thread_block());
    for (unsigned pass = 0; pass < 2; ++pass) {
        cooperative_groups::memcpy_async(tile, buffer, in + pass * 32, sizeof(unsigned) * 20);
    }
    cooperative_groups::wait(tile);
    out[threadIdx.x] = buffer[threadIdx.x % 20];
}
//~ line 11: race: async error (with itself)
