// CLEAN. A strong write is observed through the addition that follows it, and so is ordered before a weak read of the word.
//@ launch: observe<<<3, 1>>>(word: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void observe(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        store_relaxed(word, 1);
    } else if (blockIdx.x == 1) {
        while (load_relaxed(word) == 0) {
        }
        atomicAdd(word, 1u);
    } else {
        while (load_relaxed(word) != 2) {
        }
        *out = *word;
    }
}
