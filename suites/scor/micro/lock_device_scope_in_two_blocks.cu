// CLEAN. Atomics and fences of device scope, two blocks.
//@ launch: lock_device_scope_in_two_blocks<<<2, 1>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_device_scope_in_two_blocks(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
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
        __threadfence();
        out[0] = *data;
        __threadfence();
        atomicExch(locks, 0u);
    }
}
