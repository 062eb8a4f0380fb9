// RACY. Atomics: a counter in shared memory whose start value is not awaited.
//@ launch: atomic_histogram_no_barrier_before<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void atomic_histogram_no_barrier_before(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        weak_store(&counter, 0);
    }
    if (threadIdx.x >= 32) {
        atomicAdd(&counter, 1u);  //~ [barracuda, curd] race: missing-sync (with line 8) by barracuda INITATOMEXCL  //~ [hb] race: missing-sync error (with line 8) by hb "neither morally strong nor ordered either way"
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = weak_load(&counter);
    }
}
