// CLEAN. A queue of many producers and consumers: a slot is drawn by an addition, and its flag says that it is full.
//@ launch: exchange<<<8, 1>>>(tail: u32[1], head: u32[1], full: u32[4], slots: u32[4], out: u32[4])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* tail, unsigned* head, unsigned* full, unsigned* slots, unsigned* out) {
    if (blockIdx.x < 4) {
        unsigned slot = atomicAdd(tail, 1u);
        slots[slot] = blockIdx.x + 10;
        store_release(full + slot, 1);
    } else {
        unsigned slot = atomicAdd(head, 1u);
        while (load_acquire(full + slot) == 0) {
        }
        out[slot] = slots[slot];
    }
}
