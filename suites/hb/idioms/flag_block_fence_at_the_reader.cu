// RACY. The reader's fence has block scope; the writer is in another block.
//@ launch: hand_over<<<2, 1>>>(flag: u32[1], data: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void hand_over(unsigned* flag, unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        *data = 42;
        __threadfence();
        store_relaxed(flag, 1);
    } else {
        while (load_relaxed(flag) == 0) {
        }
        __threadfence_block();
        *out = *data;  //~ race: scope (with line 7)
    }
}
