// CLEAN. Locks, blocks: only the fence before giving back is of the block. One of the device is enough for the thesis.
//@ launch: lock_block_fence_before_giving_back<<<2, 1>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_block_fence_before_giving_back(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] race: scope error (with itself) by hb "synchronisation is there, its scope is too narrow"
    __threadfence_block();
    atomicExch(lock, 0u);
}
