// RACY. The writer's fence has block scope; the reader is in another block.
//@ launch: fence_of_block_scope_between_blocks<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void fence_of_block_scope_between_blocks(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence_block();
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        __threadfence();
        out[0] = *data;  //~ [scord] race: scope (with line 7) by scord IV(b)  //~ [iguard] race: missing-sync (with line 7) by iguard R4  //~ [hb] race: scope error (with line 7) by hb "volatile only where nothing else is wrong"
    }
}
