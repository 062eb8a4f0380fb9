// RACY. Two vectors of 8 bytes, read and written at a distance of 4.
//@ launch: mix<<<2, 1>>>(words: u32[4], out: u32[2])
#include "../support.h"

__global__ void mix(unsigned* words, unsigned* out) {
    if (blockIdx.x == 0) {
        *(uint4*)words = make_uint4(1, 2, 3, 4);
    } else {
        *(uint2*)out = *(uint2*)(words + 2);  //~ race: missing-sync error (with line 7)
    }
}
