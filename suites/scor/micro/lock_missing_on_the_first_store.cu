// RACY. The other order: the writer, who comes first, takes no lock, though it has a fence; the reader takes it. To hb the
// writer's fence, the turn and the reader's fence are a hand-off.
//@ launch: lock_missing_on_the_first_store<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_missing_on_the_first_store(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        out[0] = *data;  //~ [scord] race: lock (with line 8) by scord IV(e)  //~ [iguard] race: lock (with line 8) by iguard R5  //~ [hb] clean by hb "Release synchronizes with acquire when the acquire's read observes the release's write"
        __threadfence();
        atomicExch(locks, 0u);
    }
}
