// RACY. "Overlap is by byte range": one byte against the word that has it.
//@ launch: mix<<<2, 1>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void mix(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store_as(u8, (char*)word + 3, 7);
    } else {
        out[0] = weak_load(word);  //~ race: missing-sync error (with line 7)
    }
}
