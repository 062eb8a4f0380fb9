// CLEAN. Locks, warps of one block: lock and data in shared memory.
//@ launch: lock_in_shared_memory<<<1, 64>>>(out: u32[1])
#include "support.h"

__global__ void lock_in_shared_memory(unsigned* out) {
    __shared__ unsigned lock, total;
    if (threadIdx.x == 0) {
        weak_store(&lock, 0);
        weak_store(&total, 0);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(&lock, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        weak_store(&total, weak_load(&total) + 1);  //~ [barracuda, curd] clean by barracuda ACQBLOCK  //~ [hb] clean by hb "Release synchronizes with acquire"
        __threadfence_block();
        atomicExch(&lock, 0u);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        out[0] = weak_load(&total);
    }
}
