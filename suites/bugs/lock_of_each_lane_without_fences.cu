// RACY. Locks, lanes: the lanes of two blocks take locks of their own, without fences.
//@ launch: lock_of_each_lane_without_fences<<<2, 32>>>(locks: u32[32], totals: u32[32])
#include "support.h"

__global__ void lock_of_each_lane_without_fences(unsigned* locks, unsigned* totals) {
    bool done = false;
    while (!done) {
        if (atomicCAS(locks + threadIdx.x, 0u, 1u) == 0u) {
            weak_store(totals + threadIdx.x, weak_load(totals + threadIdx.x) + 1);  //~ [barracuda, curd] race: missing-sync (with itself) by barracuda ATOMEXCL  //~ [hb] race: missing-fence error (with itself) by hb "a flag or lock hand-off without its fence"
            atomicExch(locks + threadIdx.x, 0u);
            done = true;
        }
    }
}
