// CLEAN. "Failed atom.cas: a read only": it cannot race with weak loads.
//@ launch: look<<<2, 32>>>(word: u32[1] = 3, out: u32[64])
#include "../support.h"

__global__ void look(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = atom_cas(relaxed, gpu, word, 9, 10);
    } else {
        out[32 + threadIdx.x] = weak_load(word);
    }
}
