// CLEAN. A flag between two lanes of one warp, which diverged. Release and acquire order lanes as any threads.
//@ launch: hand_over<<<1, 32>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        *data = 42;
        store_release_block(flag, 1);
    } else if (threadIdx.x == 17) {
        while (load_acquire_block(flag) == 0) {
        }
        *out = *data;
    }
}
