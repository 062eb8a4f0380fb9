// RACY. Fences: a fence on both sides and nothing by which one side could see the other.
//@ launch: fence_without_a_flag<<<2, 1>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void fence_without_a_flag(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store(data, 1);
        __threadfence();
    } else {
        __threadfence();
        out[0] = weak_load(data);  //~ [barracuda, curd] race: missing-sync (with line 7) by barracuda READEXCL  //~ [hb] race: missing-sync error (with line 7) by hb "no ordering at all"
    }
}
