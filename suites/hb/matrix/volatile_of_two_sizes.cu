// RACY. Volatile is strong: two volatile accesses that overlap partly are mixed-size.
//@ launch: mix<<<2, 1>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void mix(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        volatile_store(word, 1);
    } else {
        out[0] = LOAD_AS("ld.volatile.u16", word);  //~ race: mixed-size error (with line 7)
    }
}
