// CLEAN. One release, acquired by every other block.
//@ launch: hand_over<<<4, 32>>>(data: u32[1], flag: u32[1], out: u32[128])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        if (threadIdx.x == 0) {
            weak_store(data, 1);
            strong_store(release, gpu, flag, 1);
        }
    } else {
        while (strong_load(acquire, gpu, flag) == 0) {
        }
        out[blockIdx.x * 32 + threadIdx.x] = weak_load(data);
    }
}
