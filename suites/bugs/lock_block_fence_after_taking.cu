// CLEAN. Locks, blocks: only the fence after taking is of the block. One of the device is enough for the thesis.
//@ launch: lock_block_fence_after_taking<<<2, 1>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_block_fence_after_taking(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence_block();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] clean by barracuda RELGLOBAL  //~ [hb] race: scope error (with itself) by hb "synchronisation is there, its scope is too narrow"
    __threadfence();
    atomicExch(lock, 0u);
}
