// CLEAN. The other order: one block reads, and another one writes after the reader's fence of device scope.
//@ launch: fence_of_device_scope_after_the_read<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void fence_of_device_scope_after_the_read(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        out[0] = *data;
        __threadfence();
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        __threadfence();
        *data = 1;
    }
}
