// RACY. Global memory, blocks: a word and one byte of it.
//@ launch: global_byte_of_a_word<<<2, 1>>>(data: u32[1], out: u32[1])
#include "support.h"

__global__ void global_byte_of_a_word(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        weak_store_as(u8, (char*)data + 3, 1);
    } else {
        out[0] = weak_load(data);  //~ [barracuda] race: missing-sync (with line 7) by barracuda READEXCL  //~ [curd] race: missing-sync (with line 7) by curd inter-block  //~ [hb] race: missing-sync error (with line 7) by hb "Overlap is by byte range"
    }
}
