// RACY. The writer sets the flag with a relaxed store and no fence.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_relaxed(flag, 1);
    } else {
        while (load_acquire(flag) == 0) {
        }
        *out = *data;  //~ race: missing-fence (with line 7)
    }
}
