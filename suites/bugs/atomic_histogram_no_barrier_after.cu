// RACY. Atomics: a counter in shared memory that is read while others may still count.
//@ launch: atomic_histogram_no_barrier_after<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void atomic_histogram_no_barrier_after(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        weak_store(&counter, 0);
    }
    __syncthreads();
    if (threadIdx.x >= 32) {
        atomicAdd(&counter, 1u);
    }
    if (threadIdx.x == 0) {
        out[0] = weak_load(&counter);  //~ [barracuda, curd] race: missing-sync (with line 12) by barracuda READEXCL  //~ [hb] race: missing-sync error (with line 12) by hb "a weak load against an unordered atomic races"
    }
}
