// RACY. Atomics: one block adds to a counter, another one reads it plainly.
//@ launch: atomic_against_plain_load<<<2, 1>>>(counter: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_against_plain_load(unsigned* counter, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd(counter, 1u);
    } else {
        out[0] = weak_load(counter);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda READEXCL  //~ [hb] race: missing-sync error (with line 7) by hb "a weak load against an unordered atomic races"
    }
}
