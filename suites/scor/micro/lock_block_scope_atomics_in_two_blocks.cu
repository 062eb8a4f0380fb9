// RACY. Fences of device scope, but the atomics on the lock have block scope. What the lock protects is handed over
// by the turn and the fences, so only the lock itself is reported.
//@ launch: lock_block_scope_atomics_in_two_blocks<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_block_scope_atomics_in_two_blocks(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS_block(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        *data = 1;
        __threadfence();
        atomicExch_block(locks, 0u);
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        while (atomicCAS_block(locks, 0u, 1u) != 0u) {  //~ [scord] race: scope (with line 13) by scord IV(d)  //~ [iguard] race: scope (with line 13) by iguard R1  //~ [hb] race: scope (with line 13) by hb "block-scope atomics from two blocks race"  //~ [hb] race: scope (with line 8) by hb "block-scope atomics from two blocks race"
        }
        __threadfence();
        out[0] = *data;
        __threadfence();
        atomicExch_block(locks, 0u);  //~ [hb] race: scope (with line 13) by hb "block-scope atomics from two blocks race"
    }
}
