// CLEAN. Two blocks, and a fence of device scope between the write and the read.
//@ launch: fence_of_device_scope_between_blocks<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void fence_of_device_scope_between_blocks(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        __threadfence();
        out[0] = *data;
    }
}
