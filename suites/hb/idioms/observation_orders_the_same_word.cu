// CLEAN. A strong read that observes a strong write orders it before the weak accesses to that word that follow the read.
//@ launch: observe<<<2, 1>>>(word: u32[1], out: u32[1])
#include "support/ptx.cuh"

__global__ void observe(unsigned* word, unsigned* out) {
    if (blockIdx.x == 0) {
        store_relaxed(word, 5);
    } else {
        while (load_relaxed(word) != 5) {
        }
        *out = *word;
        *word = 6;
    }
}
