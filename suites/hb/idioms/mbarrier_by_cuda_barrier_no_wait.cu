// RACY. cuda::barrier: the token of the arrival is thrown away, and nobody waits.
//@ launch: rotate<<<1, 64>>>(cells: u32[64] = iota)
#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

__global__ void rotate(unsigned* cells) {
    __shared__ unsigned buffer[64];
    __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
    if (threadIdx.x == 0) {
        init(&barrier, 64);
    }
    __syncthreads();
    buffer[threadIdx.x] = cells[threadIdx.x];
    (void)barrier.arrive();
    cells[threadIdx.x] = buffer[63 - threadIdx.x];  //~ race: missing-sync (with line 14)
}
