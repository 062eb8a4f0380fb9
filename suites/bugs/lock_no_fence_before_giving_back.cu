// RACY. Locks, blocks: no fence before the exchange, which is no release then.
//@ launch: lock_no_fence_before_giving_back<<<2, 1>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_no_fence_before_giving_back(unsigned* lock, unsigned* total) {
    while (atomicCAS(lock, 0u, 1u) != 0u) {
    }
    __threadfence();
    weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda READEXCL  //~ [hb] race: missing-fence error (with itself) by hb "a flag or lock hand-off without its fence"
    atomicExch(lock, 0u);
}
