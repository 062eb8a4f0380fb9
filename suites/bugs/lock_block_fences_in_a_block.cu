// CLEAN. Locks, warps of one block: fences of the block are enough there.
//@ launch: lock_block_fences_in_a_block<<<1, 64>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_block_fences_in_a_block(unsigned* lock, unsigned* total) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] clean by barracuda ACQBLOCK  //~ [hb] clean by hb "Release synchronizes with acquire"
        __threadfence_block();
        atomicExch(lock, 0u);
    }
}
