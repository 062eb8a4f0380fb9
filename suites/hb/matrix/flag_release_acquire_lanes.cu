// CLEAN. "Release synchronizes with acquire when the acquire's read observes the release's write": two lanes
// of one warp, shared memory.
//@ launch: hand_over<<<1, 32>>>(out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* out) {
    __shared__ unsigned data, flag;
    if (threadIdx.x == 0) {
        flag = 0;
    }
    __syncwarp();
    if (threadIdx.x == 0) {
        weak_store(&data, 1);
        strong_store(release, cta, &flag, 1);
    } else if (threadIdx.x == 1) {
        while (strong_load(acquire, cta, &flag) == 0) {
        }
        out[0] = weak_load(&data);
    }
}
