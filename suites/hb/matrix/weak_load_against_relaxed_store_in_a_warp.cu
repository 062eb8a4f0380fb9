// RACY. Lanes of one warp: a weak load against a strong store in the other path.
//@ launch: publish<<<1, 32>>>(word: u32[1], out: u32[1])
#include "../support.h"

__global__ void publish(unsigned* word, unsigned* out) {
    if (threadIdx.x == 0) {
        strong_store(relaxed, cta, word, 1);
    } else if (threadIdx.x == 1) {
        out[0] = weak_load(word);  //~ race: divergence error (with line 7)
    }
}
