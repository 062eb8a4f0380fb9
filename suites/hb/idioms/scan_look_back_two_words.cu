// CLEAN. A look-back scan with the value in a word of its own: fence before the status, fence after seeing it.
//@ launch: scan<<<6, 1>>>(status: u32[6], values: u32[6], in: u32[6] = iota, out: u32[6])
#include "support/ptx.cuh"

__global__ void scan(unsigned* status, unsigned* values, unsigned* in, unsigned* out) {
    unsigned before = 0;
    if (blockIdx.x > 0) {
        while (load_relaxed(status + blockIdx.x - 1) == 0) {
        }
        __threadfence();
        before = values[blockIdx.x - 1];
    }
    values[blockIdx.x] = before + in[blockIdx.x] + 1;
    __threadfence();
    store_relaxed(status + blockIdx.x, 1);
    out[blockIdx.x] = before + in[blockIdx.x] + 1;
}
