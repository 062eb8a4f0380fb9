// RACY. Locks, blocks: fences of the block hand nothing over to another block.
//@ launch: lock_block_fences<<<2, 1>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_block_fences(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence_block();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda ACQBLOCK  //~ [hb] race: scope error (with itself) by hb "synchronisation is there, its scope is too narrow"
    __threadfence_block();
    atomicExch(lock, 0u);
}
