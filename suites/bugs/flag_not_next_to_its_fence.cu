// RACY. Flags, blocks: the reader looks at a second flag, and only the first one stands next to the fence. PTX asks for no neighbours.
//@ launch: flag_not_next_to_its_fence<<<2, 1>>>(data: u32[1], flags: u32[2], out: u32[1])
#include "support.h"

__global__ void flag_not_next_to_its_fence(unsigned* data, unsigned* flags, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
        strong_store(relaxed, gpu, flags, 1);
        strong_store(relaxed, gpu, flags + 1, 1);
    } else {
        while (strong_load(relaxed, gpu, flags + 1) == 0) {
        }
        __threadfence();
        out[0] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda RELGLOBAL  //~ [hb] clean by hb "a release/acq_rel/sc fence followed in program order by a strong write to M"
    }
}
