// RACY. Two warps of one block, and no fence between the write and the read.
//@ launch: fence_missing_in_one_block<<<1, 64>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void fence_missing_in_one_block(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (threadIdx.x == 0) {
        *data = 1;
        tell(turn);
    } else if (threadIdx.x == 32) {
        wait_for(turn, 1u);
        __threadfence_block();
        out[0] = *data;  //~ [scord] race: missing-fence (with line 7) by scord IV(a)  //~ [iguard] race: missing-sync (with line 7) by iguard R3  //~ [hb] race: missing-fence error (with line 7) by hb "volatile only where nothing else is wrong"
    }
}
