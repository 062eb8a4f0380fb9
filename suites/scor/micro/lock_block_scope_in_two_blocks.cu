// RACY. Atomics and fences have block scope, and the lock is taken by two blocks.
//@ launch: lock_block_scope_in_two_blocks<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_block_scope_in_two_blocks(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS_block(locks, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        *data = 1;
        __threadfence_block();
        atomicExch_block(locks, 0u);
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        while (atomicCAS_block(locks, 0u, 1u) != 0u) {  //~ [scord] race: scope (with line 12) by scord IV(d)  //~ [iguard] race: scope (with line 12) by iguard R1  //~ [hb] race: scope (with line 12) by hb "block-scope atomics from two blocks race"  //~ [hb] race: scope (with line 7) by hb "block-scope atomics from two blocks race"
        }
        __threadfence_block();
        out[0] = *data;  //~ [scord] race: scope (with line 10) by scord IV(b)  //~ [iguard] race: missing-sync (with line 10) by iguard R4  //~ [hb] race: scope error (with line 10) by hb "volatile only where nothing else is wrong"
        __threadfence_block();
        atomicExch_block(locks, 0u);  //~ [hb] race: scope (with line 12) by hb "block-scope atomics from two blocks race"  //~ [hb] race: scope (with line 7) by hb "block-scope atomics from two blocks race"
    }
}
