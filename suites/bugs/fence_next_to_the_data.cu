// CLEAN. Fences: the fences stand where they make a flag of the data, and what is taken for a flag is not checked. The race is missed.
//@ launch: fence_next_to_the_data<<<2, 1>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void fence_next_to_the_data(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        __threadfence();
        weak_store(data, 1);
    } else {
        unsigned seen = weak_load(data);  //~ [barracuda, curd] clean by barracuda RELGLOBAL  //~ [hb] race: missing-sync error (with line 8) by hb "no ordering at all"
        __threadfence();
        out[0] = seen;
    }
}
