// CLEAN. Two warps of one block; the fence has a wider scope than they need.
//@ launch: fence_of_device_scope_in_one_block<<<1, 64>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void fence_of_device_scope_in_one_block(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (threadIdx.x == 0) {
        *data = 1;
        __threadfence();
        tell(turn);
    } else if (threadIdx.x == 32) {
        wait_for(turn, 1u);
        __threadfence();
        out[0] = *data;
    }
}
