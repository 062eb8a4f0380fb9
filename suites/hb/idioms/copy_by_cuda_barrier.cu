// CLEAN. cuda::memcpy_async that reports to a cuda::barrier of the block.
//@ launch: stream<<<1, 64>>>(in: u32[64] = iota, out: u32[64])
#include <cooperative_groups.h>
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void stream(unsigned* in, unsigned* out) {
    __shared__ alignas(16) unsigned buffer[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    auto block = cooperative_groups::this_thread_block();
    if (threadIdx.x == 0) {
        init(&barrier, 64);
    }
    __syncthreads();
    cuda::memcpy_async(block, buffer, in, sizeof(buffer), barrier);
    barrier.arrive_and_wait();
    out[threadIdx.x] = buffer[63 - threadIdx.x];
}
