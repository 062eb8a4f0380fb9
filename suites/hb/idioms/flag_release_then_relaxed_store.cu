// CLEAN. A release operation followed by a strong write to the same word: who observes the second takes the first's release.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flag, 1);
        store_relaxed(flag, 2);
    } else {
        while (load_acquire(flag) != 2) {
        }
        *out = *data;
    }
}
