// CLEAN. Locks, blocks: a store with a fence before it is a release, too.
//@ launch: lock_given_back_by_a_store<<<2, 1>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_given_back_by_a_store(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] clean by barracuda RELGLOBAL  //~ [hb] clean by hb "Release synchronizes with acquire"
    __threadfence();
    strong_store(relaxed, gpu, lock, 0);
}
