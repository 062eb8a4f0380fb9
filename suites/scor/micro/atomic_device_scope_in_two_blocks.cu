// CLEAN. Both atomics have device scope.
//@ launch: atomic_device_scope_in_two_blocks<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_device_scope_in_two_blocks(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        atomicAdd((unsigned*)data, 1);
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        atomicAdd((unsigned*)data, 1);
    }
}
