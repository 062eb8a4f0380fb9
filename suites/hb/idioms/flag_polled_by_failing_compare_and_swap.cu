// CLEAN. A compare-and-swap that fails is a read, and as such it can acquire.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flag, 1);
    } else {
        while (compare_and_swap_acquire(flag, 77, 78) == 0) {
        }
        *out = *data;
    }
}
