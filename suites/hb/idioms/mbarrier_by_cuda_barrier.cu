// CLEAN. cuda::barrier with arrival and wait apart.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)
#include <cuda/barrier>
#include <cuda/std/utility>

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 64);
    }
    __syncthreads();
    buffer[threadIdx.x] = cells[threadIdx.x];
    auto token = barrier.arrive();
    unsigned own = threadIdx.x * 1000;
    barrier.wait(cuda::std::move(token));
    cells[threadIdx.x] = own + buffer[63 - threadIdx.x];
}
