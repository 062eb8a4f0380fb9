// CLEAN. Two warps of one block, and wider scopes than they need.
//@ launch: lock_device_scope_in_one_block<<<1, 64>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_device_scope_in_one_block(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (threadIdx.x == 0) {
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        *data = 1;
        __threadfence();
        atomicExch(locks, 0u);
        tell(turn);
    } else if (threadIdx.x == 32) {
        wait_for(turn, 1u);
        while (atomicCAS(locks, 0u, 1u) != 0u) {
        }
        __threadfence();
        *data = 2;
        __threadfence();
        atomicExch(locks, 0u);
    }
}
