// RACY. "A weak load against an unordered atomic races".
//@ launch: count<<<2, 1>>>(counter: u32[1], out: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1);
    } else {
        out[0] = weak_load(counter);  //~ race: missing-sync error (with line 7)
    }
}
