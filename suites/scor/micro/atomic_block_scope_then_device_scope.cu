// RACY. The first atomic has block scope, and the block of the second one is another.
//@ launch: atomic_block_scope_then_device_scope<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_block_scope_then_device_scope(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd_block((unsigned*)data, 1);
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        atomicAdd((unsigned*)data, 1);  //~ [scord] race: scope (with line 7) by scord IV(d)  //~ [iguard] race: scope (with line 7) by iguard R1  //~ [hb] race: scope (with line 7) by hb "block-scope atomics from two blocks race"
    }
}
