// RACY. What is written between the release and the relaxed store that was observed is not released.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[2], out: u32[2])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        data[0] = 42;
        store_release(flag, 1);
        data[1] = 43;
        store_relaxed(flag, 2);
    } else {
        while (load_acquire(flag) != 2) {
        }
        out[0] = data[0];
        out[1] = data[1];  //~ race: missing-fence (with line 9)
    }
}
