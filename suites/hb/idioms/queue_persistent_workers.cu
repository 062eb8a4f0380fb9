// CLEAN. A ring of two slots used again and again: sequence numbers tell producers that a slot is free, consumers that it is full.
//@ launch: ring<<<2, 1>>>(sequence: u32[2], slots: u32[2], out: u32[6])
#include "support/ptx.cuh"

__global__ void ring(unsigned* sequence, unsigned* slots, unsigned* out) {
    for (unsigned item = 0; item < 6; ++item) {
        unsigned slot = item % 2, lap = item / 2;
        if (blockIdx.x == 0) {
            while (load_acquire(sequence + slot) != 2 * lap) {
            }
            slots[slot] = item + 100;
            store_release(sequence + slot, 2 * lap + 1);
        } else {
            while (load_acquire(sequence + slot) != 2 * lap + 1) {
            }
            out[item] = slots[slot];
            store_release(sequence + slot, 2 * lap + 2);
        }
    }
}
