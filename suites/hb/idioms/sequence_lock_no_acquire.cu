// RACY. The reader waits for version 2 with relaxed loads and reads ordinary data without a fence between.
//@ launch: versions<<<2, 1>>>(version: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void versions(unsigned* version, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        store_relaxed(version, 1);
        __threadfence();
        *data = 5;
        __threadfence();
        store_relaxed(version, 2);
    } else {
        while (load_relaxed(version) != 2) {
        }
        *out = *data;  //~ race: missing-fence (with line 9)
    }
}
