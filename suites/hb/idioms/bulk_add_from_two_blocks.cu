// CLEAN. Bulk reductions of two blocks into one place are atomic for each element.
//@ launch: accumulate<<<2, 64>>>(sums: u32[64])
#include "support/ptx.cuh"

__global__ void accumulate(unsigned* sums) {
    __shared__ alignas(128) unsigned buffer[64];
    buffer[threadIdx.x] = threadIdx.x + blockIdx.x;
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_ADD(sums, buffer, sizeof(buffer));
        bulk_commit();
        bulk_wait();
    }
}
