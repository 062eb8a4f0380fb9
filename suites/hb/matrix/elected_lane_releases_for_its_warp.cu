// CLEAN. 32 lanes store, __syncwarp, one lane releases; the reader does it the other way round.
//@ launch: hand_over<<<2, 32>>>(data: u32[32], flag: u32[1], out: u32[32])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[threadIdx.x], threadIdx.x);
        __syncwarp();
        if (threadIdx.x == 0) {
            strong_store(release, gpu, flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (strong_load(acquire, gpu, flag) == 0) {
            }
        }
        __syncwarp();
        out[threadIdx.x] = weak_load(&data[threadIdx.x]);
    }
}
