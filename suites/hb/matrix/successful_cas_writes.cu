// RACY. atom.cas that succeeds is a write: a weak load against it races.
//@ launch: look<<<2, 1>>>(word: u32[1] = 3, out: u32[2])
#include "../support.h"

__global__ void look(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        out[0] = atom_cas(relaxed, gpu, word, 3, 10);
    } else {
        out[1] = weak_load(word);  //~ race: missing-sync error (with line 7)
    }
}
