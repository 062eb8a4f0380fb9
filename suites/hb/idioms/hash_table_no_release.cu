// RACY. The value is written before the key, but nothing releases it with the key.
//@ launch: table<<<2, 1>>>(keys: u32[8], values: u32[8], out: u32[1])
#include "support/ptx.cuh"

__global__ void table(unsigned* keys, unsigned* values, unsigned* out) {
    if (blockIdx.x == 0) {
        values[3] = 5;
        atomicCAS(keys + 3, 0u, 7u);
    } else {
        while (load_acquire(keys + 3) != 7) {
        }
        *out = values[3];  //~ race: missing-fence (with line 7)
    }
}
