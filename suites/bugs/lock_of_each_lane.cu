// CLEAN. Locks, lanes: the lanes of two blocks take locks of their own at the same time, and each lock has data of its own.
//@ launch: lock_of_each_lane<<<2, 32>>>(locks: u32[8], totals: u32[8])
#include "support.h"

__global__ void lock_of_each_lane(unsigned* locks, unsigned* totals) {
    unsigned own = threadIdx.x % 8;
    bool done = false;
    while (!done) {
        if (atomicCAS(locks + own, 0u, 1u) == 0u) {
            __threadfence();
            weak_store(totals + own, weak_load(totals + own) + 1);  //~ [barracuda, curd] clean by barracuda ACQGLOBAL  //~ [hb] clean by hb "Release synchronizes with acquire"
            __threadfence();
            atomicExch(locks + own, 0u);
            done = true;
        }
    }
}
