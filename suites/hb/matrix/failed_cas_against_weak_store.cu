// RACY. "Failed atom.cas: a read": a weak store against it races.
//@ launch: look<<<2, 1>>>(word: u32[1] = 3, out: u32[1])
#include "../support.h"

__global__ void look(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        out[0] = atom_cas(relaxed, gpu, word, 9, 10);
    } else {
        weak_store(word, 4);  //~ race: missing-sync error (with line 7)
    }
}
