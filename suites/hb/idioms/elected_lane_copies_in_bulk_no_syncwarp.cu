// RACY. One lane stores the row in bulk without waiting for the other lanes of its warp.
//@ launch: flush<<<1, 32>>>(out: u32[32])
#include "support/ptx.cuh"

__global__ void flush(unsigned* out) {
    __shared__ alignas(128) unsigned row[32];
    row[threadIdx.x] = threadIdx.x;
    fence_proxy_async();
    if (threadIdx.x == 0) {
        BULK_STORE(out, row, 128);  //~ race: async (with line 7)
        bulk_commit();
        bulk_wait();
    }
}
