// RACY. The producer marks its slot as full by a relaxed exchange without a fence.
//@ launch: exchange<<<4, 1>>>(tail: u32[1], head: u32[1], full: u32[2], slots: u32[2], out: u32[2])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* tail, unsigned* head, unsigned* full, unsigned* slots, unsigned* out) {
    if (blockIdx.x < 2) {
        unsigned slot = atomicAdd(tail, 1u);
        slots[slot] = blockIdx.x + 10;
        atomicExch(full + slot, 1u);
    } else {
        unsigned slot = atomicAdd(head, 1u);
        while (load_acquire(full + slot) == 0) {
        }
        out[slot] = slots[slot];  //~ race: missing-fence (with line 8)
    }
}
