// RACY. "Vector accesses are a set of scalar accesses": 16 bytes against the last word of them.
//@ launch: mix<<<2, 1>>>(words: u32[4], out: u32[1])
#include "../support.h"

__global__ void mix(unsigned* words, unsigned* out) {
    if (blockIdx.x == 0) {
        *(uint4*)words = make_uint4(1, 2, 3, 4);
    } else {
        out[0] = weak_load(&words[3]);  //~ race: missing-sync error (with line 7)
    }
}
