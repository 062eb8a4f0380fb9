// CLEAN. Two warps of one block; atomics and fences of block scope.
//@ launch: lock_block_scope_in_one_block<<<1, 64>>>(data: u32[1], locks: u32[64], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void lock_block_scope_in_one_block(volatile unsigned* data, unsigned* locks, unsigned* turn, unsigned* out) {
    if (threadIdx.x == 0) {
        while (atomicCAS_block(locks, 0u, 1u) != 0u) {
        }
        __threadfence_block();
        *data = 1;
        __threadfence_block();
        atomicExch_block(locks, 0u);
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
