// CLEAN. Block scope in the middle of a chain that stays in one block.
//@ launch: hand_over<<<1, 96>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (threadIdx.x == 0) {
        weak_store(data, 1);
        strong_store(release, gpu, flag, 1);
    } else if (threadIdx.x == 32) {
        while (atom_cas(relaxed, cta, flag, 1, 2) != 1) {
        }
    } else if (threadIdx.x == 64) {
        while (strong_load(acquire, gpu, flag) != 2) {
        }
        out[0] = weak_load(data);
    }
}
