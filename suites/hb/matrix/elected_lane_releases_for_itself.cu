// RACY. Without __syncwarp, the lane that releases speaks for itself only.
//@ launch: hand_over<<<2, 32>>>(data: u32[32], flag: u32[1], out: u32[32])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(&data[threadIdx.x], threadIdx.x);
        if (threadIdx.x == 0) {
            strong_store(release, gpu, flag, 1);
        }
    } else {
        if (threadIdx.x == 0) {
            while (strong_load(acquire, gpu, flag) == 0) {
            }
        }
        __syncwarp();
        out[threadIdx.x] = weak_load(&data[threadIdx.x]);  //~ race: missing-sync error (with line 7)
    }
}
