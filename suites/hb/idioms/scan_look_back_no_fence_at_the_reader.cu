// RACY. The value is in a word of its own, and is read without a fence after the status was seen.
//@ launch: scan<<<3, 1>>>(status: u32[3], values: u32[3])
#include "support/ptx.cuh"

__global__ void scan(unsigned* status, unsigned* values) {
    unsigned before = 0;
    if (blockIdx.x > 0) {
        while (load_relaxed(status + blockIdx.x - 1) == 0) {
        }
        before = values[blockIdx.x - 1];
    }
    values[blockIdx.x] = before + 1;  //~ race: missing-fence (with line 10)
    store_release(status + blockIdx.x, 1);
}
