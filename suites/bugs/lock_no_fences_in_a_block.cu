// RACY. Locks, warps of one block: nothing but atomics.
//@ launch: lock_no_fences_in_a_block<<<1, 64>>>(lock: u32[1], total: u32[1])
#include "support.h"

__global__ void lock_no_fences_in_a_block(unsigned* lock, unsigned* total) {
    if (threadIdx.x % 32 == 0) {
        while (atomicCAS(lock, 0u, 1u) != 0u) {
        }
        weak_store(total, weak_load(total) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda ATOMEXCL  //~ [hb] race: missing-fence error (with itself) by hb "a flag or lock hand-off without its fence"
        atomicExch(lock, 0u);
    }
}
