// CLEAN. The two blocks hold different locks, and nobody writes.
//@ launch: lock_two_locks_for_loads<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[2])
#include "support.h"

__global__ void lock_two_locks_for_loads(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        out[0] = *data;
        __threadfence();
        atomicExch(locks, 0u);
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        while (atomicCAS(locks + 33, 0u, 1u) != 0u) {
        }
        __threadfence();
        out[1] = *data;
        __threadfence();
        atomicExch(locks + 33, 0u);
    }
}
