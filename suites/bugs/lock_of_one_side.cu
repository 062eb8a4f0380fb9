// RACY. Locks, blocks: one block takes the lock, the other one does without.
//@ launch: lock_of_one_side<<<2, 1>>>(lock: u32[1], total: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_of_one_side(unsigned* lock, unsigned* total, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        __threadfence();
        weak_store(total, weak_load(total) + 1);
        __threadfence();
        atomicExch(lock, 0u);
    } else {
        out[0] = weak_load(total);  //~ [barracuda, curd] race: missing-sync (with line 10) by barracuda READEXCL  //~ [hb] race: lock error (with line 10) by hb "accesses whose locksets do not intersect"
    }
}
