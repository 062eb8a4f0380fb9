// RACY. "Partially overlapping strong accesses race": 2 bytes in 4, between blocks.
//@ launch: mix<<<2, 1>>>(word: u32[1])
#include "../support.h"

__global__ void mix(unsigned* word) {
    if (blockIdx.x == 0) {
        strong_store_as(u16, relaxed, gpu, word, 1);
    } else {
        atom_add(relaxed, gpu, word, 65536);  //~ race: mixed-size error (with line 7)
    }
}
