// RACY. The consumer takes the tail for a sign that slots are full. It is moved before the slot is written.
//@ launch: exchange<<<2, 1>>>(tail: u32[1], slots: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void exchange(unsigned* tail, unsigned* slots, unsigned* out) {
    if (blockIdx.x == 0) {
        unsigned slot = atomicAdd(tail, 1u);
        __threadfence();
        slots[slot] = 10;
    } else {
        while (load_acquire(tail) == 0) {
        }
        *out = slots[0];  //~ race: missing-sync (with line 9)
    }
}
