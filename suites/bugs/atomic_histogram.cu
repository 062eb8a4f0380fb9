// CLEAN. Atomics: a counter in shared memory with barriers after its start value and before it is read.
//@ launch: atomic_histogram<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void atomic_histogram(unsigned* out) {
    __shared__ unsigned counter;
    if (threadIdx.x == 0) {
        weak_store(&counter, 0);
    }
    __syncthreads();
    atomicAdd(&counter, 1u);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = weak_load(&counter);  //~ [barracuda, curd] clean by barracuda BAR  //~ [hb] clean by hb "among their participants"
    }
}
