// RACY. Shared memory, warps of one block: a warp reads one word, a thread of another warp writes it.
//@ launch: shared_many_readers_then_writer<<<1, 64>>>(out: u32[32])
#include "support.h"

__global__ void shared_many_readers_then_writer(unsigned* out) {
    __shared__ unsigned word;
    if (threadIdx.x < 32) {
        out[threadIdx.x] = weak_load(&word);
    } else if (threadIdx.x == 40) {
        weak_store(&word, 1);  //~ [barracuda] race: missing-sync (with line 8) by barracuda WRITESHARED  //~ [curd] race: missing-sync (with line 8) by curd intra-block  //~ [hb] race: missing-sync error (with line 8) by hb "no ordering at all"
    }
}
