// RACY. The same without a release. A flag was observed, so that the fence is what is missing, not convergence.
//@ launch: hand_over<<<1, 32>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (threadIdx.x == 3) {
        *data = 42;
        store_relaxed_block(flag, 1);
    } else if (threadIdx.x == 17) {
        while (load_acquire_block(flag) == 0) {
        }
        *out = *data;  //~ race: missing-fence (with line 7)
    }
}
