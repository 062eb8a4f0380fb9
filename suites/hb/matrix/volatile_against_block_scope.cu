// RACY. Volatile is at system scope, the other one at block scope: not morally strong.
//@ launch: publish<<<2, 1>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void publish(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        volatile_store(word, 1);
    } else {
        out[0] = strong_load(relaxed, cta, word);  //~ race: scope error (with line 7)
    }
}
