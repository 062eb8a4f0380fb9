// RACY. Kind volatile: "both are volatile (or volatile and atomic)".
//@ launch: count<<<2, 1>>>(counter: u32[1], out: u32[1])
#include "../support.h"

__global__ void count(unsigned* counter, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1);
    } else {
        out[0] = volatile_load(counter);  //~ race: volatile warning (with line 7)
    }
}
