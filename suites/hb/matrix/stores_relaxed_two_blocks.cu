// CLEAN. Race: "neither morally strong nor ordered": relaxed accesses that see each other are no race.
//@ launch: publish<<<2, 1>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void publish(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        strong_store(relaxed, gpu, word, 1);
    } else {
        out[0] = strong_load(relaxed, gpu, word);
    }
}
