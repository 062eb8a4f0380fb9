// CLEAN. An atomic of device scope, a fence, and a load in another block.
//@ launch: atomic_device_scope_then_load<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_device_scope_then_load(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd((unsigned*)data, 1);
        __threadfence();
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        __threadfence();
        out[0] = *data;
    }
}
