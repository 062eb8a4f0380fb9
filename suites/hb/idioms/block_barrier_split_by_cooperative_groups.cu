// CLEAN. barrier_arrive and barrier_wait of a cooperative group of the block.
//@ launch: rotate<<<1, 64>>>(out: u32[64])
#include <cooperative_groups.h>
#include <cuda/std/utility>

__global__ void rotate(unsigned* out) {
    __shared__ unsigned part[64];
    auto block = cooperative_groups::this_thread_block();
    part[threadIdx.x] = threadIdx.x;
    auto token = block.barrier_arrive();
    unsigned own = threadIdx.x * 100;
    block.barrier_wait(cuda::std::move(token));
    out[threadIdx.x] = part[63 - threadIdx.x] + own;
}
