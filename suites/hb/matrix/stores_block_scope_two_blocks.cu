// RACY. Strong stores and loads are as atomics: block scope is not enough for two blocks.
//@ launch: publish<<<2, 1>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void publish(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store(relaxed, cta, word, 1);
    } else {
        out[0] = strong_load(relaxed, gpu, word);  //~ race: scope error (with line 7)
    }
}
