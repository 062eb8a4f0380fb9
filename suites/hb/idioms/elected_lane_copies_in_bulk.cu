// CLEAN. Lanes of each warp fill a row behind a proxy fence; after __syncwarp one lane stores the row in bulk.
//@ launch: flush<<<1, 64>>>(out: u32[64])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out) {
    __shared__ alignas(128) unsigned rows[2][32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    rows[warp][lane] = threadIdx.x;
    fence_proxy_async();
    __syncwarp();
    if (lane == 0) {
        BULK_STORE(out + warp * 32, rows[warp], 128);
        bulk_commit();
        bulk_wait();
    }
}
