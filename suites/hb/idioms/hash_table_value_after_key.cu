// RACY. The key is inserted by a compare-and-swap and the value written after it: whoever finds the key is not told of the
// value, and no fence would help.
//@ launch: table<<<2, 1>>>(keys: u32[8], values: u32[8], out: u32[1])
#include "support/ptx.cuh"

__global__ void table(unsigned* keys, unsigned* values, unsigned* out) {
    if (blockIdx.x == 0) {
        if (atomicCAS(keys + 3, 0u, 7u) == 0u) {
            values[3] = 5;
        }
    } else {
        while (load_relaxed(keys + 3) != 7) {
        }
        __threadfence();
        *out = values[3];  //~ race: missing-sync (with line 9)
    }
}
