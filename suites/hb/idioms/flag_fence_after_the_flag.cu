// RACY. The writer's fence comes after the store to the flag: a release pattern is a fence, then the write.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        store_relaxed(flag, 1);
        __threadfence();
    } else {
        while (load_relaxed(flag) == 0) {
        }
        __threadfence();
        *out = *data;  //~ race: missing-fence (with line 7)
    }
}
