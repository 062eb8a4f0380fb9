// CLEAN. Locks, blocks: a fence after taking the lock and one before giving it back.
//@ launch: lock_with_fences<<<2, 1>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_with_fences(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "Release synchronizes with acquire"
    __threadfence();
    atomicExch(lock, 0u);
}
