// CLEAN. Two warps of one block: one takes the lock with device scope, the other with block scope. Both scopes reach both.
//@ launch: lock_of_two_scopes_in_one_block<<<1, 64>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_of_two_scopes_in_one_block(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
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
        while (atomicCAS_block(locks, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        out[0] = *data;
        __threadfence_block();
        atomicExch_block(locks, 0u);
    }
}
