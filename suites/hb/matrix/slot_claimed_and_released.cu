// CLEAN. A slot that a compare-and-swap claims, published with release.
//@ launch: publish<<<2, 1>>>(slot: u32[1], value: u32[1], out: u32[1])
#include "../support.h"

__global__ void publish(unsigned* slot, unsigned* value, unsigned* out) {
    if (blockIdx.x == 0) {
        if (atomicCAS(slot, 0u, 1u) == 0u) {
            weak_store(value, 7);
            strong_store(release, gpu, slot, 2);
        }
    } else {
        while (strong_load(relaxed, gpu, slot) != 2) {
        }
        fence(acq_rel, gpu);
        out[0] = weak_load(value);
    }
}
