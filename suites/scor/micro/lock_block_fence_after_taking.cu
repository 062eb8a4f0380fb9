// RACY. The reader's fence has block scope: it is not enough to hold a lock of device scope.
//@ launch: lock_block_fence_after_taking<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_block_fence_after_taking(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        *data = 1;
        __threadfence();
        atomicExch(locks, 0u);
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        out[0] = *data;  //~ [scord] race: lock (with line 10) by scord IV(e)  //~ [iguard] race: lock (with line 10) by iguard R5  //~ [hb] race: scope error (with line 10) by hb "volatile only where nothing else is wrong"
        __threadfence();
        atomicExch(locks, 0u);
    }
}
