// RACY. Only the exchange that gives the lock back has block scope.
//@ launch: lock_given_back_with_block_scope<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_given_back_with_block_scope(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        *data = 1;
        __threadfence();
        atomicExch_block(locks, 0u);
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        while (atomicCAS(locks, 0u, 1u) != 0u) {  //~ [scord] race: scope (with line 12) by scord IV(d)  //~ [iguard] race: scope (with line 12) by iguard R1  //~ [hb] race: scope (with line 12) by hb "block-scope atomics from two blocks race"
        }
        __threadfence();
        out[0] = *data;
        __threadfence();
        atomicExch(locks, 0u);  //~ [hb] race: scope (with line 12) by hb "block-scope atomics from two blocks race"
    }
}
