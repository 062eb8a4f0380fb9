// RACY. A volatile access against a weak one is a plain race.
//@ launch: publish<<<2, 1>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void publish(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        volatile_store(word, 1);
    } else {
        out[0] = weak_load(word);  //~ race: missing-sync error (with line 7)
    }
}
