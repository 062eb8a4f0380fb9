// RACY. "Where a lock's holder is one lane and the accesses are other lanes', the missing piece is __syncwarp() beside the lock."
//@ launch: add<<<2, 32>>>(lock: u32[1], totals: u32[32])
#include "../support.h"

__global__ void add(unsigned* lock, unsigned* totals) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
    }
    __shfl_sync(~0u, 0, 0);  // Lanes wait here, and it orders no memory.
    weak_store(&totals[threadIdx.x], blockIdx.x);  //~ race: lock error (with itself)
    __shfl_sync(~0u, 0, 0);
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0u);
    }
}
