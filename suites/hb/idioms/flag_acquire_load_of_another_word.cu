// RACY. The acquire operation after the relaxed poll is on another word than the flag.
//@ launch: hand_over<<<2, 1>>>(flag: u32[2], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_release(flag, 1);
    } else {
        while (load_relaxed(flag) == 0) {
        }
        load_acquire(flag + 1);
        *out = *data;  //~ race: missing-fence (with line 7)
    }
}
