// RACY. Flags, blocks: the word is written again, and nobody has waited until it was read.
//@ launch: flag_not_answered<<<2, 1>>>(data: u32[1], flag: u32[1], out: u32[2])
#include "support.h"

__global__ void flag_not_answered(unsigned* data, unsigned* flag, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        strong_store(relaxed, gpu, flag, 1);
        out[0] = 1;
        weak_store(data, 2);
    } else {
        while (strong_load(relaxed, gpu, flag) == 0) {
        }
        __threadfence();
        out[1] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 11) by barracuda WRITEEXCL  //~ [hb] race: missing-sync error (with line 11) by hb "no ordering at all"
    }
}
