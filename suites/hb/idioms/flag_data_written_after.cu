// RACY. Data written after the release is not part of what it releases; no fence would make it so.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[2], out: u32[2])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        data[0] = 42;
        store_release(flag, 1);
        data[1] = 43;
    } else {
        while (load_acquire(flag) == 0) {
        }
        out[0] = data[0];
        out[1] = data[1];  //~ race: missing-sync (with line 9)
    }
}
