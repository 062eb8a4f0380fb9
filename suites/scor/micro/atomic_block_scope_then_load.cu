// RACY. An atomic of block scope, with a fence of device scope behind it, and then a load in another block. The fence does
// not mend the atomic. To hb it does: the hand-off through the turn orders the two.
//@ launch: atomic_block_scope_then_load<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_block_scope_then_load(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd_block((unsigned*)data, 1);
        __threadfence();
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        __threadfence();
        out[0] = *data;  //~ [scord] race: scope (with line 8) by scord IV(d)  //~ [iguard] race: scope (with line 8) by iguard R1  //~ [hb] clean by hb "st; fence; st.relaxed flag | ld.relaxed flag; fence; ld"
    }
}
