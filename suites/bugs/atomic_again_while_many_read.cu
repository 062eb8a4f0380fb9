// RACY. Atomics: behind a barrier a warp reads what a thread of another warp adds to once more.
//@ launch: atomic_again_while_many_read<<<1, 64>>>(counter: u32[1], out: u32[64])
#include "support.h"

__global__ void atomic_again_while_many_read(unsigned* counter, unsigned* out) {
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1u);
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        out[threadIdx.x] = weak_load(counter);
    } else if (threadIdx.x == 0) {
        atomicAdd(counter, 2u);  //~ [barracuda, curd] race: missing-sync (with line 11) by barracuda ATOMSHARED  //~ [hb] race: missing-sync error (with line 11) by hb "a weak load against an unordered atomic races"
    }
}
