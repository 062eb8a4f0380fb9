// RACY. A reader finds the key by a relaxed load and reads the value without a fence.
//@ launch: table<<<2, 1>>>(keys: u32[8], values: u32[8], out: u32[1])
#include "support/ptx.cuh"

__global__ void table(unsigned* keys, unsigned* values, unsigned* out) {
    if (blockIdx.x == 0) {
        values[3] = 5;
        __threadfence();
        atomicCAS(keys + 3, 0u, 7u);
    } else {
        while (load_relaxed(keys + 3) != 7) {
        }
        *out = values[3];  //~ race: missing-fence (with line 7)
    }
}
