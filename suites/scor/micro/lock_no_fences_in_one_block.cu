// RACY. Two warps of one block, and a lock of nothing but atomics.
//@ launch: lock_no_fences_in_one_block<<<1, 64>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_no_fences_in_one_block(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (threadIdx.x == 0) {
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        *data = 1;
        atomicExch(locks, 0u);
        tell(turn);
    } else if (threadIdx.x == 32) {
        wait_for(turn, 1u);
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        out[0] = *data;  //~ [scord] race: missing-fence (with line 9) by scord IV(a)  //~ [iguard] race: missing-sync (with line 9) by iguard R3  //~ [hb] race: missing-fence error (with line 9) by hb "volatile only where nothing else is wrong"
        atomicExch(locks, 0u);
    }
}
