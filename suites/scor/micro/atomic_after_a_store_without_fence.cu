// RACY. The other order: a store, no fence, and an atomic of device scope in another block.
//@ launch: atomic_after_a_store_without_fence<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_after_a_store_without_fence(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 1;
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        __threadfence();
        atomicAdd((unsigned*)data, 1);  //~ [scord] race: missing-fence (with line 7) by scord IV(b)  //~ [iguard] race: missing-sync (with line 7) by iguard R4  //~ [hb] race: volatile warning (with line 7) by hb "races in CUDA C++ but not in PTX"
    }
}
