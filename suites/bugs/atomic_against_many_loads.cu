// RACY. Atomics: all lanes of a warp read a word, and a thread of another warp adds to it.
//@ launch: atomic_against_many_loads<<<1, 64>>>(counter: u32[1], out: u32[32])
#include "support.h"

__global__ void atomic_against_many_loads(unsigned* counter, unsigned* out) {
    if (threadIdx.x < 32) {
        out[threadIdx.x] = weak_load(counter);
    } else if (threadIdx.x == 40) {
        atomicAdd(counter, 1u);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda INITATOMSHRD  //~ [hb] race: missing-sync error (with line 7) by hb "a weak load against an unordered atomic races"
    }
}
