// RACY. Atomics: behind a barrier one thread reads what a thread of another warp adds to once more.
//@ launch: atomic_again_while_one_reads<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void atomic_again_while_one_reads(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        atomicExch(&counter, 0u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&counter, 1u);
    } else if (threadIdx.x == 32) {
        out[0] = weak_load(&counter);  //~ [barracuda, curd] race: missing-sync (with line 12) by barracuda ATOMEXCL  //~ [hb] race: missing-sync error (with line 12) by hb "a weak load against an unordered atomic races"
    }
}
