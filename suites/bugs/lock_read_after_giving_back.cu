// RACY. Locks, blocks: each block looks at the total once more after it has given the lock back.
//@ launch: lock_read_after_giving_back<<<2, 1>>>(lock: u32[1], total: u32[1], out: u32[2])
#include "support.h"

__global__ void lock_read_after_giving_back(unsigned* lock, unsigned* total, unsigned* out) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);
    __threadfence();
    atomicExch(lock, 0u);
    out[blockIdx.x] = weak_load(total);  //~ [barracuda, curd] race: missing-sync (with line 9) by barracuda RELGLOBAL  //~ [hb] race: lock error (with line 9) by hb "accesses whose locksets do not intersect"
}
