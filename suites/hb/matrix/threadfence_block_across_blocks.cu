// RACY. "Its scope is too narrow (fence)": __threadfence_block for another block: two blocks, global memory.
//@ launch: hand_over<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[1])
#include "../support.h"

__global__ void hand_over(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence_block();
        strong_store(relaxed, gpu, flag, 1);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence();
        out[0] = weak_load(data);  //~ race: scope error (with line 7)
    }
}
