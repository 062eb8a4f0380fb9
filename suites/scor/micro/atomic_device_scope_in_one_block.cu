// CLEAN. Two warps of one block, and a wider scope than they need.
//@ launch: atomic_device_scope_in_one_block<<<1, 64>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_device_scope_in_one_block(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (threadIdx.x == 0) {
        atomicAdd((unsigned*)data, 1);
        tell(turn);
    } else if (threadIdx.x == 32) {
        wait_for(turn, 1u);
        atomicAdd((unsigned*)data, 1);
    }
}
