// RACY. wait_group.read says that the source was read, not that the destination is written.
//@ launch: flush<<<1, 64>>>(out: u32[64], check: u32[1])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out, unsigned* check) {
    __shared__ alignas(128) unsigned buffer[64];
    buffer[threadIdx.x] = threadIdx.x;
    fence_proxy_async();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(out, buffer, sizeof(buffer));
        bulk_commit();
        bulk_wait_read();
        *check = out[5];  //~ race: async (with line 11)
        bulk_wait();
    }
}
