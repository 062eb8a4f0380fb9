// RACY. Global memory, blocks: all threads of a block read a word, a thread of another block writes it.
//@ launch: global_blocks_many_readers_then_writer<<<2, 64>>>(data: u32[1], out: u32[64])
#include "support.h"

__global__ void global_blocks_many_readers_then_writer(unsigned* data, unsigned* out) {
    if (blockIdx.x == 0) {
        out[threadIdx.x] = weak_load(data);
    } else if (threadIdx.x == 0) {
        weak_store(data, 1);  //~ [barracuda] race: missing-sync (with line 7) by barracuda WRITESHARED  //~ [curd] race: missing-sync (with line 7) by curd inter-block  //~ [hb] race: missing-sync error (with line 7) by hb "no ordering at all"
    }
}
