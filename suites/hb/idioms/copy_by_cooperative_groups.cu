// CLEAN. cooperative_groups::memcpy_async and wait, which includes the barrier of the group.
//@ launch: stream<<<2, 64>>>(in: u32[128] = iota, out: u32[128])
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[64];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, buffer, in + blockIdx.x * 64, sizeof(buffer));
    cg::wait(block);
    out[blockIdx.x * 64 + threadIdx.x] = buffer[63 - threadIdx.x];
}
