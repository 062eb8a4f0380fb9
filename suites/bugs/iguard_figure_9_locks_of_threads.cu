// CLEAN. Figure 9 of iGUARD: lanes take locks of their own, two at a time, and update what the warp shares. Those that hold a lock at the
// same time write the same sum in one instruction, and those that come later do so in lockstep.
//@ launch: iguard_figure_9_locks_of_threads<<<1, 32>>>(locks: u32[64], data: u32[1])
#include "support.h"

__global__ void iguard_figure_9_locks_of_threads(unsigned* locks, unsigned* data) {
    unsigned* lock = locks + threadIdx.x % 2 * 33;
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0u, 1u) == 0u) {
            __threadfence();
            unsigned sum = weak_load(data) + 1;
            weak_store(data, sum);  //~ [barracuda, curd] clean by barracuda same-value  //~ [hb] race: lock error (with line 12) by hb "accesses whose locksets do not intersect"  //~ [hb] race: lock error (with itself) by hb "accesses whose locksets do not intersect"
            __threadfence();
            atomicExch(lock, 0u);
            done = true;
        }
    }
}
