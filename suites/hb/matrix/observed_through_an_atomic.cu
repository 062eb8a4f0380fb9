// CLEAN. "Observation": the chain of an atomic counts as observing the write before it.
//@ launch: hand_over<<<3, 1>>>(flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store(relaxed, gpu, flag, 1);
    } else if (blockIdx.x == 1) {
        while (atom_cas(relaxed, gpu, flag, 1, 2) != 1) {
        }
    } else {
        while (strong_load(relaxed, gpu, flag) != 2) {
        }
        out[0] = weak_load(flag);
    }
}
