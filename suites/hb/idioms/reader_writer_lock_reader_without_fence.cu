// RACY. A reader leaves without a fence: its read is not ordered before what the next writer writes.
//@ launch: share<<<2, 1>>>(state: u32[1], reading: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void share(unsigned* state, unsigned* reading, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(state, 0u, 1u) != 0u) {
        }
        __threadfence();
        store_relaxed(reading, 1);
        *out = *data;
        atomicSub(state, 1u);
    } else {
        // The writer comes second, so that the reader's way out is what it observes.
        while (load_relaxed(reading) == 0) {
        }
        while (atomicCAS(state, 0u, 0x80000000u) != 0u) {
        }
        __threadfence();
        *data = 7;  //~ race: missing-fence (with line 11)
    }
}
