// CLEAN. The other order: a store, a fence of device scope, and an atomic in another block.
//@ launch: atomic_after_a_store_and_a_fence<<<2, 1>>>(data: u32[1], turn: u32[1], out: u32[1])
#include "support.h"

__global__ void atomic_after_a_store_and_a_fence(volatile unsigned* data, unsigned* turn, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 1;
        __threadfence();
        tell(turn);
    } else if (blockIdx.x == 1) {
        wait_for(turn, 1u);
        __threadfence();
        atomicAdd((unsigned*)data, 1);
    }
}
