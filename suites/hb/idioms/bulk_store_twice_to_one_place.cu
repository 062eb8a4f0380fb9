// RACY. Two bulk stores of one thread to one place are not ordered with each other.
//@ launch: flush<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out) {
    __shared__ alignas(128) unsigned buffer[2][64];
    buffer[0][threadIdx.x] = 1;
    buffer[1][threadIdx.x] = 2;
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(out, buffer[0], 256);
        BULK_STORE(out, buffer[1], 256);  //~ race: async (with line 12)
        bulk_commit();
        bulk_wait();
    }
}
