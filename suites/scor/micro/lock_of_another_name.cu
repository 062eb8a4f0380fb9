// RACY. Each block takes a lock, and not the same one. To hb the fences of the locks and the turn are a hand-off.
//@ launch: lock_of_another_name<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_of_another_name(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
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
        while (atomicCAS(locks + 33, 0u, 1u) != 0u) {
        }
        __threadfence();
        out[0] = *data;  //~ [scord] race: lock (with line 10) by scord IV(e)  //~ [iguard] race: lock (with line 10) by iguard R5  //~ [hb] clean by hb "Release synchronizes with acquire when the acquire's read observes the release's write"
        __threadfence();
        atomicExch(locks + 33, 0u);
    }
}
