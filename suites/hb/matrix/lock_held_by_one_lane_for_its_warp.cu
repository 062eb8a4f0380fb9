// CLEAN. One lane holds the lock for its warp: __syncwarp() after it is taken, and before it is given back.
//@ launch: add<<<2, 32>>>(lock: u32[1], totals: u32[32])
#include "../support.h"

__global__ void add(unsigned* lock, unsigned* totals) {
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
    }
    __syncwarp();
    weak_store(&totals[threadIdx.x], blockIdx.x);
    __syncwarp();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicExch(lock, 0u);
    }
}
