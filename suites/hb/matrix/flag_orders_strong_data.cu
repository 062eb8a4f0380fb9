// CLEAN. Data that is strong at too narrow a scope is no race where a flag orders it.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        atom_add(relaxed, cta, data, 1);
        strong_store(release, gpu, flag, 1);
    } else {
        while (strong_load(acquire, gpu, flag) == 0) {
        }
        out[0] = atom_add(relaxed, cta, data, 1);
    }
}
