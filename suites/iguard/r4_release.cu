// CLEAN. A release counts as a fence of its scope, right before its own access.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        atom_add(release, gpu, flag, 1);
    } else {
        while (atom_add(acquire, gpu, flag, 0) == 0) {
        }
        out[0] = weak_load(data);
    }
}
