// RACY. Flags, blocks: the reader looks at a flag that somebody else sets.
//@ launch: flag_another_one_is_seen<<<3, 1>>>(data: u32[1], flags: u32[2], out: u32[2])
#include "support.h"

__global__ void flag_another_one_is_seen(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        strong_store(relaxed, gpu, flags, 1);
    } else if (blockIdx.x == 1) {
        out[0] = 1;
        __threadfence();
        strong_store(relaxed, gpu, flags + 1, 1);
    } else {
        while (strong_load(relaxed, gpu, flags + 1) == 0) {
        }
        __threadfence();
        out[1] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda ACQGLOBAL  //~ [hb] race: missing-sync error (with line 7) by hb "no ordering at all"
    }
}
