// RACY. The reader looks at the data once before it waits for the flag.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[2])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flag, 1);
    } else {
        out[0] = *data;  //~ race: missing-sync (with line 7)
        while (load_acquire(flag) == 0) {
        }
        out[1] = *data;
    }
}
