// RACY. Both sides have a fence, and the reader's comes later; but nobody has observed that it does.
//@ launch: hope<<<2, 32>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hope(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x != 0) {
        return;
    }
    if (blockIdx.x == 0) {
        *data = gridDim.x;
        __threadfence();
        store_relaxed(flag, 1);
    } else {
        __threadfence();
        *out = *data;  //~ race: missing-sync (with line 10)
    }
}
