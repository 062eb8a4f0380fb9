// RACY. Locks, blocks: each block takes a lock, but not the same one.
//@ launch: lock_each_block_another_one<<<2, 1>>>(locks: u32[2], total: u32[1])
#include "support.h"

__global__ void lock_each_block_another_one(unsigned* locks, unsigned* total) {
    unsigned* lock = locks + blockIdx.x;
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda ACQGLOBAL  //~ [hb] race: lock error (with itself) by hb "accesses whose locksets do not intersect"
    __threadfence();
    atomicExch(lock, 0u);
}
