// CLEAN. A slot is claimed by a compare-and-swap, filled, and its key published with release; a reader acquires the key.
//@ launch: table<<<3, 1>>>(claims: u32[8], keys: u32[8], values: u32[8], out: u32[1])
#include "support/ptx.cuh"

__global__ void table(unsigned* claims, unsigned* keys, unsigned* values, unsigned* out) {
    if (blockIdx.x < 2) {
        unsigned slot = 3;
        while (atomicCAS(claims + slot, 0u, 1u) != 0u) {
            slot = (slot + 1) % 8;
        }
        values[slot] = blockIdx.x * 100 + 5;
        store_release(keys + slot, blockIdx.x + 1);
    } else {
        unsigned slot = 3;
        for (unsigned key = load_acquire(keys + slot); key != 1; key = load_acquire(keys + slot)) {
            slot = slot == 3 ? 4 : 3;
        }
        *out = values[slot];
    }
}
