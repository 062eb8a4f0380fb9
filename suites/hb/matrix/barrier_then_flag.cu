// CLEAN. "Cumulativity of bar.sync": one thread releases for its whole block.
//@ launch: hand_over<<<2, 64>>>(data: u32[64], flag: u32[1], out: u32[64])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[threadIdx.x], threadIdx.x);
        __syncthreads();
        if (threadIdx.x == 0) {
            strong_store(release, gpu, flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (strong_load(acquire, gpu, flag) == 0) {
            }
        }
        __syncthreads();
        out[threadIdx.x] = weak_load(&data[threadIdx.x]);
    }
}
