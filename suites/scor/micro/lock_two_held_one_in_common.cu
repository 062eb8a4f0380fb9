// CLEAN. One block holds one lock, the other one this and another.
//@ launch: lock_two_held_one_in_common<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_two_held_one_in_common(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
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
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        *data = 2;
        __threadfence();
        atomicExch(locks, 0u);
        __threadfence();
        atomicExch(locks + 33, 0u);
    }
}
