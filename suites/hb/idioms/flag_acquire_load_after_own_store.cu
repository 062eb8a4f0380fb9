// CLEAN. A relaxed read of the flag and, later, an acquire operation on it are an acquire pattern, also when the acquire itself reads
// another value: here what the reader has stored itself.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flag, 1);
    } else {
        while (load_relaxed(flag) == 0) {
        }
        store_relaxed(flag, 2);
        load_acquire(flag);
        *out = *data;
    }
}
