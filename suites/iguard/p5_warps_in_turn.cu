// CLEAN. P5, and then P3 and P4: two warps use a location in turn, with barriers. That it is shared by warps ends at
// the barrier.
//@ launch: in_turn<<<1, 64>>>(data: u32[1])
#include "support.h"

__global__ void in_turn(unsigned* data) {
    for (unsigned step = 0; step < 4; step++) {
        if (threadIdx.x / 32 == step % 2) {
            if (threadIdx.x % 32 == 0) {
                weak_store(data, step);
                weak_store(data, weak_load(data) + 1);
            }
            __syncwarp();
            if (threadIdx.x % 32 == 7) {
                weak_store(data, weak_load(data) + 1);
            }
        }
        __syncthreads();
    }
}
