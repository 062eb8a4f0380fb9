// CLEAN. wait_group.read and a barrier, then the buffer is filled again and stored elsewhere.
//@ launch: flush<<<1, 64>>>(out: u32[128])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out) {
    __shared__ alignas(128) unsigned buffer[64];
    for (int round = 0; round < 2; ++round) {
        buffer[threadIdx.x] = round * 100 + threadIdx.x;
        fence_proxy_async();
        __syncthreads();
        if (threadIdx.x == 0) {
            BULK_STORE(out + round * 64, buffer, sizeof(buffer));
            bulk_commit();
            bulk_wait_read();
        }
        __syncthreads();
    }
}
